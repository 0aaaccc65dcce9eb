# Builds dist\knowledge-workbench-VERSION-windows.zip and, where WiX 5 is installed, an .msi from the same folder.
# NEVER RUN: written by the documentation of PyInstaller 6 and WiX 5.
# usage: powershell -File packaging\windows.ps1 PYTHON     (PYTHON has the packages of requirements.lock)
param([Parameter(Mandatory = $true)][string]$Python)
$ErrorActionPreference = "Stop"
Set-Location (Split-Path $PSScriptRoot)

function Invoke-Checked([string]$Program, [string[]]$Arguments) {
    & $Program @Arguments
    if ($LASTEXITCODE -ne 0) { throw "$Program ended with $LASTEXITCODE" }
}

$env:QT_QPA_PLATFORM = "offscreen"
Invoke-Checked $Python @("-m", "pip", "install", "--quiet", "pyinstaller>=6.16,<7")
Invoke-Checked $Python @("packaging\app_icons.py", "bundle", "build\icons")
Invoke-Checked $Python @("-m", "PyInstaller", "--noconfirm", "--distpath", "build\frozen", "--workpath", "build\pyinstaller",
    "packaging\elsewhere.spec")

$version = & $Python -c "import workbench; print(workbench.__version__)"
$folder = "build\frozen\knowledge-workbench"
Invoke-Checked "$folder\workbench.exe" @("tour", "--out", "build\tour")

New-Item -ItemType Directory -Force dist | Out-Null
$zip = "dist\knowledge-workbench-$version-windows.zip"
Compress-Archive -Force -Path $folder -DestinationPath $zip
$made = @($zip)

if (Get-Command wix -ErrorAction SilentlyContinue) {
    $msi = "dist\knowledge-workbench-$version-windows.msi"
    Invoke-Checked "wix" @("build", "packaging\windows.wxs", "-arch", "x64", "-d", "Version=$version",
        "-d", "Folder=$folder", "-out", $msi)
    $made += $msi
}
foreach ($file in $made) {
    $hash = (Get-FileHash -Algorithm SHA256 $file).Hash.ToLower()
    Set-Content -Path "$file.sha256" -Value "$hash  $(Split-Path -Leaf $file)"
}
