# What a wheel has beside the Python files: libraries and the command, in the folder
# where they look for one another. A wheel has no links, so each library is one file,
# called by its SONAME.
set_target_properties(cetane_shared cetane_rt_shared PROPERTIES
	VERSION ${PROJECT_VERSION_MAJOR} SOVERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS cetane cetane_shared cetane_rt_shared
	RUNTIME DESTINATION cetane/_lib COMPONENT python
	LIBRARY DESTINATION cetane/_lib COMPONENT python NAMELINK_SKIP)
