"""huey loads its storage and its consumer by name."""

hiddenimports = ["huey.consumer", "huey.storage", "huey.serializer", "huey.signals"]
