#!/bin/sh
# From dist/Archiviste.app to a disk image; signed and notarised when the identity and the profile are given.
#
#   ARCHIVISTE_CODESIGN_IDENTITY   "Developer ID Application: NAME (TEAM)", also read by the spec while it builds
#   ARCHIVISTE_NOTARY_PROFILE      a profile of `xcrun notarytool store-credentials`
#
# Without them the image is still made: Gatekeeper then asks people to right-click and open the first time.
set -eu
cd "$(dirname "$0")/../.."
version=$(python3 -c "import sys; sys.path.insert(0, 'packaging'); import contents; print(contents.version())")
image="dist/archiviste-$version-macos-$(uname -m).dmg"
app=dist/Archiviste.app

if [ -n "${ARCHIVISTE_CODESIGN_IDENTITY:-}" ]; then
  codesign --force --deep --options runtime --timestamp --entitlements packaging/macos/entitlements.plist \
    --sign "$ARCHIVISTE_CODESIGN_IDENTITY" "$app"
  codesign --verify --deep --strict "$app"
fi

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
cp -R "$app" "$staging/"
ln -s /Applications "$staging/Applications"
hdiutil create -volname "Archiviste $version" -srcfolder "$staging" -ov -format UDZO "$image"

if [ -n "${ARCHIVISTE_NOTARY_PROFILE:-}" ]; then
  xcrun notarytool submit "$image" --keychain-profile "$ARCHIVISTE_NOTARY_PROFILE" --wait
  xcrun stapler staple "$image"
fi
(cd dist && shasum -a 256 "$(basename "$image")" > SHA256SUMS)
echo "$image"
