# xlagpuModule.cmake -- compiles a module when the project is built, and puts it into a program as a C array:
#
#     xlagpu_add_module(game fluid.hlo SYMBOL fluid TARGET sm_80)
#
# adds fluid.c to the target `game` and lets it include "fluid.h", which names the parameters and results, their types,
# shapes and bytes. The program loads it with xlagpu_rt_load(device, fluid_xgx, fluid_xgx_size). Without TARGET the code
# runs on every GPU from sm_75 on. FLAGS is handed to `xlagpu compile`. A build for another machine sets
# XLAGPU_HOST_TOOL to an xlagpu that runs on this one.
include_guard()
function(xlagpu_add_module to file)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "SYMBOL;TARGET" "FLAGS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "xlagpu_add_module: '${arg_UNPARSED_ARGUMENTS}' is none of SYMBOL, TARGET and FLAGS")
    endif()
    if(NOT arg_SYMBOL)
        get_filename_component(arg_SYMBOL "${file}" NAME_WE)
        string(MAKE_C_IDENTIFIER "${arg_SYMBOL}" arg_SYMBOL)
    endif()
    get_filename_component(file "${file}" ABSOLUTE)
    set(tool xlagpu::tool)
    if(XLAGPU_HOST_TOOL)
        set(tool "${XLAGPU_HOST_TOOL}")
    endif()
    set(flags --emit=c --symbol=${arg_SYMBOL} ${arg_FLAGS})
    if(arg_TARGET)
        list(APPEND flags --target=${arg_TARGET})
    endif()
    set(folder "${CMAKE_CURRENT_BINARY_DIR}/xlagpu_modules/${arg_SYMBOL}")
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(OUTPUT "${folder}/${arg_SYMBOL}.c" "${folder}/${arg_SYMBOL}.h"
        COMMAND ${tool} compile "${file}" ${flags} -o "${folder}/${arg_SYMBOL}.c"
        DEPENDS "${file}" ${tool} COMMENT "Compiling ${file} to PTX" VERBATIM)
    target_sources(${to} PRIVATE "${folder}/${arg_SYMBOL}.c" "${folder}/${arg_SYMBOL}.h")
    target_include_directories(${to} PRIVATE "${folder}")
endfunction()
