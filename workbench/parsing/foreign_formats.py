"""Documents that nothing here reads, and what their owners can do: one sentence each, by the ending of the name."""

_AS_PDF = "save it as PDF."
_AS_XLSX = "Open it in Excel or LibreOffice and save it as .xlsx."
_AS_DOCX = "Open it in LibreOffice and save it as .docx."
_AS_PPTX = "Open it in LibreOffice and save it as .pptx."
_AS_ZIP = "Unpack it and add the folder. Of archives only ZIP is opened."

_ADVICE = (
    (".pages", "Apple Pages", "Open it in Pages and choose File > Export To > Word."),
    (".numbers", "Apple Numbers", "Open it in Numbers and choose File > Export To > Excel."),
    (".key", "Apple Keynote", "Open it in Keynote and choose File > Export To > PowerPoint."),
    (".xlw", "other Excel workbooks", _AS_XLSX),
    (".wks .wk1 .wk3 .wk4 .123 .qpw .sxc .sdc .et", "old spreadsheets", _AS_XLSX),
    (".wps .wpd .wri .lwp .sxw .sdw .abw .hwp", "texts of other word processors", _AS_DOCX),
    (".sxi .sdd .dps", "slides of other programs", _AS_PPTX),
    (".fodt", "flat OpenDocument texts", "Open it in LibreOffice and save it as .odt."),
    (".fods", "flat OpenDocument sheets", "Open it in LibreOffice and save it as .ods."),
    (".fodp", "flat OpenDocument slides", "Open it in LibreOffice and save it as .odp."),
    (".odg .otg .fodg .odf .vsd .vsdx .pub", "drawings and layouts", f"Open it in LibreOffice and {_AS_PDF}"),
    (".dwg .dxf .dwf", "technical drawings", "Open it in the drawing program and print it to a PDF."),
    (".ps .eps .ai .indd .qxp .cdr", "print layouts", f"Open it in its own program and {_AS_PDF}"),
    (".djvu .djv", "DjVu scans", f"Open it in a DjVu viewer and {_AS_PDF}"),
    (".mobi .azw .azw3 .kfx .prc .lit", "other e-books", "Convert it to EPUB, for example with Calibre."),
    (".one", "OneNote sections", "Open it in OneNote and export it as Word or PDF."),
    (".chm .hlp", "help files of Windows", "Open it in its viewer and print it to a PDF."),
    (".pst .ost", "mailboxes of Outlook", "Open it in Outlook and save the messages that you need as .msg."),
    (".mdb .accdb", "Access databases", "Open it in Access and export the tables to Excel."),
    (".sqlite .sqlite3 .db .db3", "databases", "Use “Add from database” to add rows of it."),
    (".heic .heif .avif .psd .emf .wmf", "other pictures", "Open it in a picture program and save it as PNG."),
    (".mht .mhtml .webarchive", "saved web pages", f"Open it in a web browser and {_AS_PDF}"),
    (".7z .rar .tar .gz .tgz .bz2 .xz .zst .tar.gz .tar.bz2 .tar.xz", "other archives", _AS_ZIP),
    (".mp3 .wav .m4a .ogg .flac .mp4 .mov .avi .mkv .webm", "sound and film", "Only written text can be searched."),
)

ADVICE = {suffix: (words, advice) for suffixes, words, advice in _ADVICE for suffix in suffixes.split()}
"""By ending: what such files are, in the plural, and what to do."""
