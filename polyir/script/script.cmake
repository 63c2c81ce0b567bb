# Schedule scripts: Lua 5.4, if it is there, and the libraries written in it inside of
# the command; else a file that says that there are none.
pkg_check_modules(LUA QUIET lua5.4)
if(NOT LUA_FOUND)
	pkg_check_modules(LUA QUIET lua>=5.4)
endif()
set(script_folder ${PROJECT_SOURCE_DIR}/polyir/script)
file(GLOB script_sources CONFIGURE_DEPENDS ${script_folder}/*.c)
get_target_property(sources cetane_polyir SOURCES)
if(CETANE_LUA AND LUA_FOUND)
	list(REMOVE_ITEM sources ${script_folder}/absent.c)
	target_include_directories(cetane_polyir SYSTEM PRIVATE
		${LUA_INCLUDE_DIRS})
	if(CETANE_STATIC)
		cetane_static_library(LUA_LINK lua5.4)
	else()
		list(GET LUA_LINK_LIBRARIES 0 LUA_LINK)
	endif()
	target_link_libraries(cetane_polyir PUBLIC ${LUA_LINK})
	set(text "")
	foreach(name base chill tiramisu)
		set(file ${script_folder}/${name}.lua)
		string(APPEND text
			"__asm__(\".pushsection .rodata\\n\"\n"
			"\t\".hidden poly_script_${name}\\n\"\n"
			"\t\".globl poly_script_${name}\\n\"\n"
			"\t\"poly_script_${name}:\\n\"\n"
			"\t\".incbin \\\"${file}\\\"\\n.byte 0\\n"
			".popsection\\n\");\n")
		list(APPEND script_libraries ${file})
	endforeach()
	set(script_table ${PROJECT_BINARY_DIR}/script_libraries.c)
	file(CONFIGURE OUTPUT ${script_table} CONTENT
		"extern int poly_script_libraries;\n${text}")
	set_source_files_properties(${script_table} PROPERTIES
		OBJECT_DEPENDS "${script_libraries}")
	list(APPEND sources ${script_table})
else()
	list(REMOVE_ITEM script_sources ${script_folder}/record.c)
	list(REMOVE_ITEM sources ${script_sources})
	list(APPEND sources ${script_folder}/absent.c)
endif()
set_target_properties(cetane_polyir PROPERTIES SOURCES "${sources}")
