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
function(shared_library target name map)
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
shared_library(cetane_rt_shared cetane_rt
	${PROJECT_BINARY_DIR}/libcetane_rt.map cetane_rt)
target_link_libraries(cetane_rt_shared PRIVATE Threads::Threads
	${CMAKE_DL_LIBS})
set_target_properties(cetane_rt_shared PROPERTIES EXPORT_NAME rt)

# One archive of what the library is made of.
set(folders cetane_lib cetane_frontend cetane_nvptx cetane_polyir)
set(objects ${folders})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
add_library(cetane_archive STATIC ${objects})
set_target_properties(cetane_archive PROPERTIES OUTPUT_NAME cetane
	LINKER_LANGUAGE C)

# With CETANE_STATIC, it has LLVM, isl, GMP and Lua inside, too.
shared_library(cetane_shared cetane
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
add_executable(Cetane::cetane ALIAS cetane)
add_library(Cetane::libcetane ALIAS cetane_shared)
include(${package}/CetaneKernels.cmake)
add_custom_target(shipped DEPENDS ${shipped} cetane_rt cetane_archive)

if(NOT CETANE_INSTALL)
	return()
endif()
include(tools/pages/pages.cmake)
install(TARGETS ${shipped} EXPORT cetane
	RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES .github/CHANGELOG.md .github/LIMITS.md
	DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(TARGETS cetane_rt cetane_archive
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES tools/lib/cetane.h runtime/cetane_rt.h runtime/host_abi.h
	runtime/cetane.hpp runtime/program.h runtime/status.def
	DESTINATION ${CETANE_INCLUDE_DIR})

# ---------------------------------------------------------------- packages

install(EXPORT cetane NAMESPACE Cetane:: FILE CetaneTargets.cmake
	DESTINATION ${CETANE_CMAKE_DIR})
configure_package_config_file(${package}/CetaneConfig.cmake.in
	${PROJECT_BINARY_DIR}/CetaneConfig.cmake
	INSTALL_DESTINATION ${CETANE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CetaneConfigVersion.cmake
	COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CetaneConfig.cmake
	${PROJECT_BINARY_DIR}/CetaneConfigVersion.cmake
	${package}/CetaneKernels.cmake
	DESTINATION ${CETANE_CMAKE_DIR})

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
	install(FILES ${PROJECT_BINARY_DIR}/${name}.pc
		DESTINATION ${CETANE_PC_DIR})
endforeach()

# The manual page and the completions, printed by the command itself, which a
# build for another machine cannot run.
function(generate_by_command kind file folder)
	set(path ${PROJECT_BINARY_DIR}/share/${folder}/${file})
	file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/${folder})
	add_custom_command(OUTPUT ${path}
		COMMAND cetane --generate=${kind} > ${path}
		DEPENDS cetane VERBATIM)
	add_custom_target(generate_${kind} ALL DEPENDS ${path})
	add_dependencies(shipped generate_${kind})
	install(FILES ${path} DESTINATION
		${CMAKE_INSTALL_DATADIR}/${folder})
endfunction()
if(NOT CMAKE_CROSSCOMPILING)
	generate_by_command(man cetane.1 man/man1)
	generate_by_command(bash cetane bash-completion/completions)
	generate_by_command(zsh _cetane zsh/site-functions)
	generate_by_command(fish cetane.fish fish/vendor_completions.d)
endif()
