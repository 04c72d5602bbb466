"""conan create packages/conan: the library and the tool as a package of Conan 2."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load


class Xlagpu(ConanFile):
    name = "xlagpu"
    license = "MIT OR Unlicense"
    description = "Compiles XLA modules to PTX and runs them on an NVIDIA GPU or on a simulator"
    topics = ("xla", "hlo", "ptx", "cuda", "jax")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "simulator": [True, False]}
    default_options = {"shared": False, "simulator": True}
    languages = "C"

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        text = load(self, os.path.join(self._root, "src", "api", "version.h"))
        self.version = re.search(r'#define XLAGPU_VERSION "(.*)"', text).group(1)

    def export_sources(self):
        for pattern in ("*.h", "LICENSE", "src/*", "tools/*", "packages/cmake/*", "packages/cpp/*"):
            copy(self, pattern, self._root, self.export_sources_folder, excludes="build/*")

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["XLAGPU_SIMULATOR"] = bool(self.options.simulator)
        toolchain.cache_variables["XLAGPU_INSTALL"] = True
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join("packages", "cmake"))
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "xlagpu")
        self.cpp_info.set_property("cmake_target_name", "xlagpu::xlagpu")
        self.cpp_info.libs = ["xlagpu"]
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "dl", "pthread"]
