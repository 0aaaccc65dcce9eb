"""Documents that nothing here reads, and what their owners can do: one sentence each, by the ending of the name."""

from workbench.language import mark

_AS_XLSX = mark("Open it in Excel or LibreOffice and save it as .xlsx.")
_AS_DOCX = mark("Open it in LibreOffice and save it as .docx.")
_AS_PPTX = mark("Open it in LibreOffice and save it as .pptx.")
_AS_ZIP = mark("Unpack it and add the folder. Of archives only ZIP is opened.")

_ADVICE = (
    (".pages", mark("Apple Pages"), mark("Open it in Pages and choose File > Export To > Word.")),
    (".numbers", mark("Apple Numbers"), mark("Open it in Numbers and choose File > Export To > Excel.")),
    (".key", mark("Apple Keynote"), mark("Open it in Keynote and choose File > Export To > PowerPoint.")),
    (".xlw", mark("other Excel workbooks"), _AS_XLSX),
    (".wks .wk1 .wk3 .wk4 .123 .qpw .sxc .sdc .et", mark("old spreadsheets"), _AS_XLSX),
    (".wps .wpd .wri .lwp .sxw .sdw .abw .hwp", mark("texts of other word processors"), _AS_DOCX),
    (".sxi .sdd .dps", mark("slides of other programs"), _AS_PPTX),
    (".fodt", mark("flat OpenDocument texts"), mark("Open it in LibreOffice and save it as .odt.")),
    (".fods", mark("flat OpenDocument sheets"), mark("Open it in LibreOffice and save it as .ods.")),
    (".fodp", mark("flat OpenDocument slides"), mark("Open it in LibreOffice and save it as .odp.")),
    (
        ".odg .otg .fodg .odf .vsd .vsdx .pub",
        mark("drawings and layouts"),
        mark("Open it in LibreOffice and save it as PDF."),
    ),
    (".dwg .dxf .dwf", mark("technical drawings"), mark("Open it in the drawing program and print it to a PDF.")),
    (".ps .eps .ai .indd .qxp .cdr", mark("print layouts"), mark("Open it in its own program and save it as PDF.")),
    (".djvu .djv", mark("DjVu scans"), mark("Open it in a DjVu viewer and save it as PDF.")),
    (".mobi .azw .azw3 .kfx .prc .lit", mark("other e-books"), mark("Convert it to EPUB, for example with Calibre.")),
    (".one", mark("OneNote sections"), mark("Open it in OneNote and export it as Word or PDF.")),
    (".chm .hlp", mark("help files of Windows"), mark("Open it in its viewer and print it to a PDF.")),
    (
        ".pst .ost",
        mark("mailboxes of Outlook"),
        mark("Open it in Outlook and save the messages that you need as .msg."),
    ),
    (".mdb .accdb", mark("Access databases"), mark("Open it in Access and export the tables to Excel.")),
    (".sqlite .sqlite3 .db .db3", mark("databases"), mark("Use “Add from database” to add rows of it.")),
    (
        ".heic .heif .avif .psd .emf .wmf",
        mark("other pictures"),
        mark("Open it in a picture program and save it as PNG."),
    ),
    (".mht .mhtml .webarchive", mark("saved web pages"), mark("Open it in a web browser and save it as PDF.")),
    (".7z .rar .tar .gz .tgz .bz2 .xz .zst .tar.gz .tar.bz2 .tar.xz", mark("other archives"), _AS_ZIP),
    (
        ".mp3 .wav .m4a .ogg .flac .mp4 .mov .avi .mkv .webm",
        mark("sound and film"),
        mark("Only written text can be searched."),
    ),
)

ADVICE = {suffix: (words, advice) for suffixes, words, advice in _ADVICE for suffix in suffixes.split()}
"""By ending: what such files are, in the plural, and what to do."""
