; Inno Setup 6, from the bundle in dist\archiviste:
;   iscc /DVersion=0.1.0 packaging\windows\archiviste.iss
; Without administrator rights, in French. The archive stays in %LOCALAPPDATA%\Archiviste when the program is removed.
; vc_redist.x64.exe (Microsoft's, whose terms let it be passed on) is expected in build\.

#ifndef Version
  #error Say which version: /DVersion=…
#endif

[Setup]
AppId={{5B6A3B0E-0F39-4E0B-9C39-6C1B4C0E7A51}
AppName=Archiviste
AppVersion={#Version}
AppVerName=Archiviste {#Version}
AppPublisher=Archiviste
DefaultDirName={localappdata}\Programs\Archiviste
DisableProgramGroupPage=yes
DisableDirPage=auto
PrivilegesRequired=lowest
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
MinVersion=10.0.17763
OutputDir=..\..\dist
OutputBaseFilename=archiviste-{#Version}-windows-x86_64
SetupIconFile=..\icons\archiviste.ico
UninstallDisplayIcon={app}\archiviste-app.exe
LicenseFile=..\..\LICENSE
Compression=lzma2/normal
SolidCompression=yes
WizardStyle=modern
CloseApplications=yes
RestartApplications=no
SignedUninstaller=no

[Languages]
Name: "french"; MessagesFile: "compiler:Languages\French.isl"

[Tasks]
Name: "desktop"; Description: "{cm:CreateDesktopIcon}"; GroupDescription: "{cm:AdditionalIcons}"; Flags: unchecked

[InstallDelete]
; Libraries of another version must not stay beside the new ones.
Type: filesandordirs; Name: "{app}\_internal"

[Files]
Source: "..\..\dist\archiviste\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion
Source: "..\..\build\vc_redist.x64.exe"; DestDir: "{tmp}"; Flags: deleteafterinstall; Check: RuntimeIsMissing

[Icons]
Name: "{autoprograms}\Archiviste"; Filename: "{app}\archiviste-app.exe"
Name: "{autodesktop}\Archiviste"; Filename: "{app}\archiviste-app.exe"; Tasks: desktop

[Run]
Filename: "{tmp}\vc_redist.x64.exe"; Parameters: "/install /passive /norestart"; StatusMsg: "Bibliothèques de Microsoft…"; Check: RuntimeIsMissing; Flags: waituntilterminated
Filename: "{app}\archiviste-app.exe"; Description: "{cm:LaunchProgram,Archiviste}"; Flags: postinstall nowait skipifsilent

[UninstallRun]
Filename: "{app}\archiviste.exe"; Parameters: "autostart off"; RunOnceId: "autostart"; Flags: runhidden skipifdoesntexist

[Code]
function RuntimeIsMissing: Boolean;
var
  Installed: Cardinal;
begin
  Result := not (RegQueryDWordValue(HKLM64, 'SOFTWARE\Microsoft\VisualStudio\14.0\VC\Runtimes\x64', 'Installed', Installed)
    and (Installed = 1));
end;

procedure CurUninstallStepChanged(Step: TUninstallStep);
begin
  if (Step = usPostUninstall) and not UninstallSilent then
    MsgBox('Archiviste est retiré. Votre archive est gardée ici :' + #13#10 + ExpandConstant('{localappdata}\Archiviste')
      + #13#10 + 'Supprimez ce dossier si vous n’en voulez plus.', mbInformation, MB_OK);
end;
