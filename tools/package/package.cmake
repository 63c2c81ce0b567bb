# The libraries as they are shipped, and what is installed: command, headers,
# libraries, a CMake package, pkg-config files, manual page, completions.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(CETANE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Cetane)
set(CETANE_INCLUDE_DIR ${CMAKE_INSTALL_INCLUDEDIR}/cetane)
set(CETANE_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(package ${CMAKE_CURRENT_LIST_DIR})

# The shared library lib"name".so, as "target", of the objects of static
# libraries; "map" lists what it exports. Sanitizers are in the program alone.
function(cetane_shared_library target name map)
	list(TRANSFORM ARGN REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
	add_library(${target} SHARED ${ARGN})
	set_target_properties(${target} PROPERTIES
		OUTPUT_NAME ${name} LINKER_LANGUAGE C
		VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
		INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${map})
	target_link_options(${target} PRIVATE -Wl,--version-script=${map}
		-Wl,--gc-sections)
	if(NOT CETANE_SANITIZE)
		target_link_options(${target} PRIVATE -Wl,--no-undefined)
	endif()
	target_include_directories(${target} INTERFACE
		$<INSTALL_INTERFACE:${CETANE_INCLUDE_DIR}>
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime>
		$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tools/lib>)
endfunction()

configure_file(runtime/libcetane_rt.map ${PROJECT_BINARY_DIR}/libcetane_rt.map
	@ONLY)
cetane_shared_library(cetane_rt_shared cetane_rt
	${PROJECT_BINARY_DIR}/libcetane_rt.map cetane_rt)
target_link_libraries(cetane_rt_shared PRIVATE Threads::Threads
	${CMAKE_DL_LIBS})
set_target_properties(cetane_rt_shared PROPERTIES EXPORT_NAME rt)
set_target_properties(cetane_rt PROPERTIES EXPORT_NAME rt_static)
target_include_directories(cetane_rt INTERFACE
	$<INSTALL_INTERFACE:${CETANE_INCLUDE_DIR}>
	$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime>)

# One archive of what the library is made of.
set(folders cetane_lib cetane_frontend cetane_nvptx cetane_polyir)
set(objects ${folders})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(cetane_archive STATIC ${objects})
set_target_properties(cetane_archive PROPERTIES OUTPUT_NAME cetane
	LINKER_LANGUAGE C EXPORT_NAME libcetane_static)
# What programs with it link is where it was built.
set(lua ${LUA_LIBRARIES})
list(TRANSFORM lua PREPEND -l)
set(installed -L${ISL_LIBDIR} -lisl -lgmp ${lua} -L${LLVM_LIBDIR} ${LLVM_LINK}
	${CMAKE_DL_LIBS} m)
set(here ${ISL_LINK} ${GMP_LINK} ${LUA_LINK} -L${LLVM_LIBDIR} ${LLVM_LINK}
	${CMAKE_DL_LIBS} m)
target_link_libraries(cetane_archive INTERFACE cetane_rt
	"$<INSTALL_INTERFACE:${installed}>" "$<BUILD_INTERFACE:${here}>")
target_include_directories(cetane_archive INTERFACE
	$<INSTALL_INTERFACE:${CETANE_INCLUDE_DIR}>
	$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tools/lib>)

# With CETANE_STATIC, it has LLVM, isl, GMP and Lua inside, too.
cetane_shared_library(cetane_shared cetane
	${PROJECT_SOURCE_DIR}/tools/lib/libcetane.map ${folders})
target_link_directories(cetane_shared PRIVATE ${LLVM_LIBDIR}
	${ISL_LIBRARY_DIRS})
target_link_libraries(cetane_shared PRIVATE cetane_rt_shared
	${ISL_LINK} ${LUA_LINK} ${LLVM_LINK} Threads::Threads ${CMAKE_DL_LIBS} m)
set_target_properties(cetane_shared PROPERTIES EXPORT_NAME libcetane)
if(CETANE_STATIC)
	target_sources(cetane_shared PRIVATE
		${PROJECT_SOURCE_DIR}/tools/package/streams.c)
	target_link_options(cetane_shared PRIVATE -static-libgcc -s
		-Wl,--wrap=stdin,--wrap=stdout,--wrap=stderr)
endif()
set(shipped cetane cetane_rt_shared cetane_shared)

# By the names of the installed package.
add_library(Cetane::rt ALIAS cetane_rt_shared)
add_library(Cetane::rt_static ALIAS cetane_rt)
add_library(Cetane::libcetane_static ALIAS cetane_archive)
add_executable(Cetane::cetane ALIAS cetane)
add_library(Cetane::libcetane ALIAS cetane_shared)
include(${package}/CetaneKernels.cmake)
add_custom_target(cetane_shipped DEPENDS ${shipped} cetane_rt cetane_archive)

if(NOT CETANE_INSTALL)
	return()
endif()
# Two components: "runtime" is what objects link, all else is "compiler".
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME compiler)
include(tools/pages/pages.cmake)
install(TARGETS cetane_rt_shared cetane_rt EXPORT cetane_runtime
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
		COMPONENT runtime NAMELINK_COMPONENT runtime
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime)
install(TARGETS cetane cetane_shared cetane_archive EXPORT cetane_compiler
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES .github/CHANGELOG.md .github/LIMITS.md
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES tools/lib/cetane.h DESTINATION ${CETANE_INCLUDE_DIR})
install(FILES runtime/cetane_rt.h runtime/host_abi.h runtime/cetane.hpp
	runtime/program.h runtime/status.def
	DESTINATION ${CETANE_INCLUDE_DIR} COMPONENT runtime)

# ---------------------------------------------------------------- packages

foreach(component runtime compiler)
	install(EXPORT cetane_${component} NAMESPACE Cetane::
		FILE Cetane-${component}.cmake
		DESTINATION ${CETANE_CMAKE_DIR} COMPONENT ${component})
endforeach()
configure_package_config_file(${package}/CetaneConfig.cmake.in
	${PROJECT_BINARY_DIR}/CetaneConfig.cmake
	INSTALL_DESTINATION ${CETANE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CetaneConfigVersion.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CetaneConfig.cmake
	${PROJECT_BINARY_DIR}/CetaneConfigVersion.cmake
	${package}/CetaneKernels.cmake
	DESTINATION ${CETANE_CMAKE_DIR} COMPONENT runtime)

# Folders of pkg-config files are relative to the file, so that an installed
# tree can be moved.
file(RELATIVE_PATH PC_PREFIX /prefix/${CETANE_PC_DIR} /prefix)
list(JOIN LLVM_LINK " " PC_LLVM)
set(PC_LUA "")
if(LUA_LINK)
	set(PC_LUA "-l${LUA_LIBRARIES} ")
endif()
foreach(name cetane cetane_rt)
	configure_file(${package}/${name}.pc.in
		${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
	set(component compiler)
	if(name STREQUAL cetane_rt)
		set(component runtime)
	endif()
	install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
		DESTINATION ${CETANE_PC_DIR} COMPONENT ${component})
endforeach()

# The manual page and the completions, printed by the command itself, which a
# build for another machine cannot run.
function(cetane_generate kind file folder)
	set(path ${PROJECT_BINARY_DIR}/share/${folder}/${file})
	file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/${folder})
	add_custom_command(OUTPUT ${path}
		COMMAND cetane --generate=${kind} > ${path}
		DEPENDS cetane VERBATIM)
	add_custom_target(cetane_generate_${kind} ALL DEPENDS ${path})
	add_dependencies(cetane_shipped cetane_generate_${kind})
	install(FILES ${path} DESTINATION
		${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
if(NOT CMAKE_CROSSCOMPILING)
	cetane_generate(man cetane.1 man/man1)
	cetane_generate(bash cetane bash-completion/completions)
	cetane_generate(zsh _cetane zsh/site-functions)
	cetane_generate(fish cetane.fish fish/vendor_completions.d)
endif()
