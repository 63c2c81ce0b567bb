# cetane_add_kernels(TARGET SOURCES FILE... ARCHS ARCH... [OPTIONS OPTION...]
#	[STATIC])
#
# Compile each program FILE to an object with an image for each ARCH and one
# for the CPU, and make it part of TARGET, which then finds FILE's header by its
# name, NAME.h for NAME.dsl, and links libcetane_rt, with STATIC its archive. OPTIONS are further ones of
# "cetane build", such as "-DM=64"; objects are for ${CETANE_HOST}, such as
# aarch64-linux-gnu, which is that of the target when cross-compiling; with "--name=NAME", which goes with one FILE,
# the function, the object and the header have this name. Two programs of a target
# need different names. An object is made again when its source has changed, or
# the compiler. CMake does not count such an object among those of an
# OBJECT library: what links that library gets it, $<TARGET_OBJECTS> does not.
function(cetane_add_kernels target)
	cmake_parse_arguments(PARSE_ARGV 1 arg "STATIC" "" "SOURCES;ARCHS;OPTIONS")
	if(NOT TARGET ${target} OR NOT arg_SOURCES OR NOT arg_ARCHS OR
			arg_UNPARSED_ARGUMENTS)
		message(FATAL_ERROR "cetane_add_kernels(TARGET SOURCES FILE... "
			"ARCHS ARCH... [OPTIONS OPTION...] [STATIC])")
	endif()
	set(command ${CETANE_EXECUTABLE})
	if(NOT command AND TARGET cetane AND NOT CMAKE_CROSSCOMPILING)
		set(command cetane)	# of the same build
	endif()
	if(NOT command)
		message(FATAL_ERROR "No cetane was found that runs on this "
			"machine. Give -DCETANE_EXECUTABLE=/path/to/cetane.")
	endif()
	list(LENGTH arg_SOURCES count)
	set(given ${arg_OPTIONS})
	list(FILTER given INCLUDE REGEX "^--name=")
	list(TRANSFORM given REPLACE "^--name=" "")
	if(given AND count GREATER 1)
		message(FATAL_ERROR "cetane_add_kernels: --name=${given} would "
			"be the name of ${count} programs. Call it once for each.")
	endif()
	list(JOIN arg_ARCHS "," archs)
	set(host ${CETANE_HOST})
	if(NOT host AND CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR)
		set(host ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
	endif()
	if(host)
		list(PREPEND arg_OPTIONS --host=${host})
	endif()
	set(folder ${CMAKE_CURRENT_BINARY_DIR}/cetane/${target})
	file(MAKE_DIRECTORY ${folder})
	get_target_property(type ${target} TYPE)
	foreach(source IN LISTS arg_SOURCES)
		get_filename_component(path ${source} ABSOLUTE)
		get_filename_component(name ${source} NAME_WLE)
		if(given)
			list(GET given -1 name)
		endif()
		get_target_property(names ${target} CETANE_NAMES)
		if(name IN_LIST names)
			message(FATAL_ERROR "cetane_add_kernels: ${target} has "
				"a program called ${name} already; ${source} "
				"needs another name. Call the function for it "
				"alone, with OPTIONS --name=NAME.")
		endif()
		set_property(TARGET ${target} APPEND PROPERTY CETANE_NAMES
			${name})
		set(out ${folder}/${name})
		add_custom_command(OUTPUT ${out}.o ${out}.h ${out}.json
			COMMAND ${command} build --emit=object
				--arch=${archs} --depfile=${out}.d
				-o ${out}.o ${arg_OPTIONS} -- ${path}
			DEPENDS ${path} ${command}
			DEPFILE ${out}.d
			COMMENT "Compiling kernels of ${name}"
			VERBATIM)
		set_source_files_properties(${out}.o PROPERTIES
			EXTERNAL_OBJECT TRUE GENERATED TRUE)
		target_sources(${target} PRIVATE ${out}.o ${out}.h)
		if(type STREQUAL OBJECT_LIBRARY)
			target_sources(${target} INTERFACE ${out}.o)
		endif()
	endforeach()
	target_include_directories(${target} PRIVATE ${folder})
	set(runtime Cetane::rt)
	if(arg_STATIC)
		set(runtime Cetane::rt_static)
	endif()
	set_property(TARGET ${target} APPEND PROPERTY
		LINK_LIBRARIES ${runtime})
	set_property(TARGET ${target} APPEND PROPERTY
		INTERFACE_LINK_LIBRARIES ${runtime})
endfunction()
