"""Requests about whole documents: recognised in many wordings, without false positives."""

import time

import pytest

from workbench.retrieval.request_recognition import Request, RequestKind, request_of

MEANT = (
    "this",
    "it",
    "the survey",
    "this report",
    "report.pdf",
    "harbour-survey.pdf",
    "the harbour condition survey",
    "these documents",
    "everything",
    "the annual report 2022",
    "my documents",
    "the minutes of the last meeting",
)
OVERVIEWS = (
    "summarise {}",
    "summarize {}",
    "Sum up {}",
    "Give me a summary of {}",
    "give me an overview of {}",
    "a short summary of {}",
    "What is {} about?",
    "what's {} about",
    "What does {} say?",
    "what are the main points of {}",
    "key takeaways from {}",
    "I need a brief overview of {}",
    "Write a one-page summary of {}",
    "tell me what {} is about",
    "can you summarise {} for me",
    "could you please give me a short overview of {}?",
    "please summarise {} in three sentences",
    "I would like a summary of {}",
    "what does {} cover?",
    "summary of {}",
    "TL;DR of {}",
    "explain {}",
    "what are the main topics of {}?",
    "I want you to summarize {}",
    "help me understand what {} is about",
    "what is the gist of {}",
    "describe {}",
)
REQUESTS = {
    RequestKind.DOCUMENTS: (
        "which documents do I have?",
        "What documents are there?",
        "list all documents",
        "list my documents",
        "show me all my files",
        "how many documents do I have?",
        "how many files are in my library",
        "what is in my library?",
        "which files have I added",
        "what do you know?",
        "which documents can you see?",
        "list of all documents",
        "How many documents are there?",
        "show me the files I have added",
        "我有哪些文件？",
        "有哪些文档",
        "列出所有文档",
        "资料库里有什么",
        "我有多少份文件",
        "现在一共有多少个文档？",
        "库里有哪些资料",
        "请列出我的文件",
        "我上传了哪些文件",
    ),
    RequestKind.MENTIONS: (
        "how many documents mention the Corran Gate?",
        "which documents mention dredging",
        "how many of my documents talk about oxygen?",
        "In how many documents is Ingrid Solvane mentioned?",
        "which reports contain the word asbestos",
        "find all documents about dredging",
        "list all documents that mention W3",
        "how often is the Corran Gate mentioned",
        'how many times does "HIT" appear in the document?',
        "how many times is E17 mentioned in the manual?",
        "where is the conger mentioned?",
        "which of the documents mention E17?",
        "show me documents containing tributyltin",
        "do any documents mention asbestos?",
        "count the mentions of E17",
        "which document mentions the conger?",
        "有多少文档提到科兰闸门",
        "哪些文件提到了溶解氧？",
        "有几份报告涉及疏浚",
        "多少份文件提到E17",
        "科兰闸门在多少文档中被提到",
        "溶解氧被提到多少次",
        "哪些文档包含E17",
        "列出提到止水的文件",
        "止水在规程里出现了几次",
    ),
    RequestKind.LISTING: (
        "list all priorities with their cost",
        "List the error codes",
        "list every instrument",
        "enumerate all spare parts",
        "give me a list of the spare parts",
        "show me all error codes",
        "show all priorities",
        "give me a table of the depths",
        "what are all the priorities?",
        "name all the instruments",
        "a full list of error codes",
        "列出所有备件",
        "列出全部维护项目及周期",
        "请列举所有故障代码",
        "把所有备件列出来",
        "所有备件有哪些？",
        "列出备件清单",
        "请给出所有仪器",
        "汇总各项维护周期",
        "list me all the actions and who is responsible",
    ),
    RequestKind.COMPARISON: (
        "compare the two reports",
        "compare the survey and the minutes",
        "Compare harbour-survey.pdf with forum-minutes.txt",
        "what are the differences between the two reports?",
        "what is the difference between report.pdf and draft.pdf",
        "how do these documents differ?",
        "Can you compare these two documents?",
        "contrast the survey with the manual",
        "比较这两份报告",
        "对比一下这两个文件",
        "这两份报告有什么不同？",
        "请比较调查报告和会议纪要",
        "两份文件的区别是什么",
        "compare them",
    ),
    RequestKind.DETAILS: (
        "who wrote the survey?",
        "Who wrote this?",
        "who is the author of this report",
        "when was the report published?",
        "how many pages does the survey have?",
        "what is the title of this document?",
        "how long is this report",
        "when was it written",
        "这份报告是谁写的？",
        "规程的作者是谁",
        "这份文件有多少页",
        "报告是什么时候发布的",
        "who published the survey",
        "how many pages is the survey",
    ),
    RequestKind.OVERVIEW: (
        "总结这份报告",
        "请总结一下这份文件",
        "这份文件讲了什么？",
        "概括一下维护规程",
        "这个文档的主要内容是什么",
        "这篇论文讲的是什么",
        "给我概括一下维护规程",
        "帮我总结一下",
        "这份报告主要说了什么",
        "报告的要点有哪些",
        "对这份报告做一个总结",
        "写一份这份报告的摘要",
        "report.pdf讲了什么",
        "这是关于什么的？",
        "这是什么",
        "概述",
        "请问这份规程主要介绍了什么内容？",
        "总结所有文档",
        "介绍一下这份报告",
        "能不能帮我总结一下这份手册？",
        "这份文件的大纲",
        "这些文件都讲了些什么",
        "維護規程講了什麼",
        "請總結這份報告",
        "Summary please",
        "overview",
        "What is this?",
        "tldr",
        "summarise everything",
        "what is in it?",
        "what's in report.pdf?",
        "What topics does the manual cover?",
        "How is the survey structured?",
        "summarise chapter 3 of the survey",
        "Sumarize the report",
        "summerise the survey",
        "give me an overveiw of the report",
        "总结第三章",
    ),
}
ORDINARY = (
    "When did the harbour freeze?",
    "What is ownership in Rust?",
    "Who wrote Hamlet?",
    "What is the difference between solar cells and wind turbines?",
    "How many piles does the North Quay have?",
    "How often does the Olympics occur?",
    "What are the principal findings?",
    "Which countries are there in Europe?",
    "What did American Express report in 2022?",
    "What is the book value of the assets?",
    "How long is the North Quay?",
    "When was the harbour built?",
    "What does error code E17 mean?",
    "What is the population of the library district?",
    "Where is the summary of the trial kept?",
    "Name the author of the theory of relativity",
    "列举一个导致免疫缺陷的原因。",
    "谁写了《红楼梦》？",
    "北码头有多少根桩？",
    "报告人是谁？",
    "什么是所有权？",
    "这座桥是什么时候建成的？",
)
POLITE = ("please {}", "Can you {}?", "hi, could you please {} for me", "{} thanks", "Would you kindly {}, in short")
TYPOS = (
    "sumarize the report",
    "summerise the survey",
    "give me an overveiw of report.pdf",
    "comapre the two reports",
    "list all my docuemnts",
    "how many documets mention the gate?",
    "a short sumary of this",
)


@pytest.mark.parametrize("wording", OVERVIEWS)
def test_a_request_for_an_overview_is_recognised_regardless_of_its_subject(wording: str) -> None:
    missed = [meant for meant in MEANT if _kind(wording.format(meant)) is not RequestKind.OVERVIEW]
    assert missed == []


@pytest.mark.parametrize("kind", REQUESTS)
def test_requests_of_each_kind_are_recognised_in_english_and_chinese(kind: RequestKind) -> None:
    assert {said: _kind(said) for said in REQUESTS[kind]} == dict.fromkeys(REQUESTS[kind], kind)


@pytest.mark.parametrize("polite", POLITE)
def test_politeness_around_a_request_changes_nothing(polite: str) -> None:
    for said in ("summarise the survey", "compare the two reports", "list all error codes"):
        assert request_of(polite.format(said)) == request_of(said)


@pytest.mark.parametrize("said", TYPOS)
def test_a_misspelt_request_is_recognised(said: str) -> None:
    assert _kind(said) is not None


@pytest.mark.parametrize("said", ORDINARY)
def test_an_ordinary_question_is_no_request(said: str) -> None:
    assert request_of(said) is None


def test_the_words_that_mean_documents_or_things_are_extracted_separately() -> None:
    assert request_of("Can you summarise the survey?") == Request(RequestKind.OVERVIEW, "the survey")
    assert request_of("compare the survey with the minutes") == Request(
        RequestKind.COMPARISON, "the survey", "the minutes"
    )
    assert request_of("how many documents mention the Corran Gate?") == Request(RequestKind.MENTIONS, "the Corran Gate")
    assert request_of("how many times does “E17” appear in the manual?") == Request(
        RequestKind.MENTIONS, "E17", within="the manual"
    )
    assert request_of("比较调查报告和会议纪要") == Request(RequestKind.COMPARISON, "调查报告", "会议纪要")
    assert request_of("有多少文档提到科兰闸门？") == Request(RequestKind.MENTIONS, "科兰闸门")


@pytest.mark.parametrize(
    "said", ["summarise " + "the " * 55, "what is " + "a b-c.d " * 28, "列出" + "的" * 230, "这" * 239]
)
def test_a_hostile_question_is_looked_through_in_a_moment(said: str) -> None:
    began = time.process_time()
    request_of(said)
    assert time.process_time() - began < 1.0


def test_a_question_that_brings_its_own_text_along_is_ordinary() -> None:
    assert request_of("summarise " + "this long text " * 40) is None


def _kind(said: str) -> RequestKind | None:
    request = request_of(said)
    return request.kind if request else None
