<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name></name>
    <message>
        <source>A configuration cannot be called “{0}”.</source>
        <translation>搜索配置不能叫“{0}”。</translation>
    </message>
    <message>
        <source>A document needs a title.</source>
        <translation>文档需要标题。</translation>
    </message>
    <message>
        <source>A filter must be a dict or a list.</source>
        <translation>筛选必须是字典（dict）或列表（list）。</translation>
    </message>
    <message>
        <source>A golden question needs words and something to find.</source>
        <translation>评测问题需要文字和要找到的内容。</translation>
    </message>
    <message>
        <source>A judgement is not a JSON object.</source>
        <translation>有一条评判不是 JSON 对象。</translation>
    </message>
    <message>
        <source>A judgement names no passage, document or answer.</source>
        <translation>有一条评判没有指出段落、文档或答案。</translation>
    </message>
    <message>
        <source>A kept evaluation cannot be read.</source>
        <translation>无法读取保留的评测。</translation>
    </message>
    <message>
        <source>This seems to contain a key, a password or a number that must stay secret.</source>
        <translation>其中似乎有密钥、密码或必须保密的号码。</translation>
    </message>
    <message>
        <source>A knowledge base cannot have this name.</source>
        <translation>知识库不能用这个名称。</translation>
    </message>
    <message>
        <source>A knowledge base needs a name.</source>
        <translation>知识库需要名称。</translation>
    </message>
    <message>
        <source>A later version of the program may have written it.</source>
        <translation>它可能由更高版本的程序写入。</translation>
    </message>
    <message>
        <source>A memory has 1 to {0} characters; this one has {1}.</source>
        <translation>一条记忆有 1 到 {0} 个字符；这一条有 {1} 个。</translation>
    </message>
    <message>
        <source>A model profile cannot be called “{0}”.</source>
        <translation>模型配置不能叫“{0}”。</translation>
    </message>
    <message>
        <source>A page is not a whole number.</source>
        <translation>有的页码不是整数。</translation>
    </message>
    <message>
        <source>A part of the filter is not a condition.</source>
        <translation>筛选中有一部分不是条件。</translation>
    </message>
    <message>
        <source>A passage needs some text.</source>
        <translation>段落需要有文字。</translation>
    </message>
    <message>
        <source>A profile cannot be named “{0}”.</source>
        <translation>配置不能命名为“{0}”。</translation>
    </message>
    <message>
        <source>A profile needs the name of a model.</source>
        <translation>配置需要模型名称。</translation>
    </message>
    <message>
        <source>A reading needs a name.</source>
        <translation>通读需要名称。</translation>
    </message>
    <message>
        <source>A search cannot give {0} passages.</source>
        <translation>一次搜索不能给出 {0} 个段落。</translation>
    </message>
    <message>
        <source>A search configuration cannot be read.</source>
        <translation>有一份搜索配置无法读取。</translation>
    </message>
    <message>
        <source>A set of golden questions needs a short name.</source>
        <translation>评测问题集需要一个简短的名称。</translation>
    </message>
    <message>
        <source>A tag has 1 to {0} characters and no comma, for example “law”.</source>
        <translation>标签为 1 到 {0} 个字符，不含逗号，例如“法律”。</translation>
    </message>
    <message>
        <source>A token has at least {0} letters, digits or signs, and no spaces.</source>
        <translation>令牌至少要有 {0} 个字母、数字或符号，且不含空格。</translation>
    </message>
    <message>
        <source>A tool server cannot be called “{0}”.</source>
        <translation>工具服务器不能叫“{0}”。</translation>
    </message>
    <message>
        <source>A tool server needs either a command or an address.</source>
        <translation>工具服务器需要命令或地址之一。</translation>
    </message>
    <message>
        <source>About {0:d} tokens a second.</source>
        <translation>每秒约 {0} 个 token。</translation>
    </message>
    <message>
        <source>Add a file of this computer with “Add files…”.</source>
        <translation>本机的文件请用“添加文件…”添加。</translation>
    </message>
    <message>
        <source>Add a file, or a folder with files in it.</source>
        <translation>请添加文件，或含有文件的文件夹。</translation>
    </message>
    <message>
        <source>Add a knowledge base and move the documents there.</source>
        <translation>请新建知识库，再把文档移过去。</translation>
    </message>
    <message>
        <source>Add documents or folders of documents.</source>
        <translation>请添加文档或放文档的文件夹。</translation>
    </message>
    <message>
        <source>Add it again and give the password.</source>
        <translation>请重新添加并给出密码。</translation>
    </message>
    <message>
        <source>Add it again when it is complete.</source>
        <translation>等它完整后请重新添加。</translation>
    </message>
    <message>
        <source>Add it again.</source>
        <translation>请重新添加。</translation>
    </message>
    <message>
        <source>Add it to the system&apos;s certificate store.</source>
        <translation>请把它加入系统的证书库。</translation>
    </message>
    <message>
        <source>Add the archive again.</source>
        <translation>请重新添加压缩包。</translation>
    </message>
    <message>
        <source>Add the document</source>
        <translation>添加文档</translation>
    </message>
    <message>
        <source>Add the document</source>
        <comment>Add the documents</comment>
        <translation>添加文档</translation>
    </message>
    <message>
        <source>Add the document to see the others.</source>
        <translation>添加该文档即可查看其他页。</translation>
    </message>
    <message>
        <source>Add the documents that the questions ask about.</source>
        <translation>请添加这些问题所涉及的文档。</translation>
    </message>
    <message>
        <source>Add the file again with the right password.</source>
        <translation>请用正确的密码重新添加该文件。</translation>
    </message>
    <message>
        <source>Add the file again.</source>
        <translation>请重新添加该文件。</translation>
    </message>
    <message>
        <source>Add the file again; its text can still be read and searched.</source>
        <translation>请重新添加该文件；其文字仍可阅读和搜索。</translation>
    </message>
    <message>
        <source>Add the file itself.</source>
        <translation>请添加文件本身。</translation>
    </message>
    <message>
        <source>Add them first.</source>
        <translation>请先添加它们。</translation>
    </message>
    <message>
        <source>Add to the folder “{folder}”</source>
        <translation>添加到文件夹“{folder}”</translation>
    </message>
    <message>
        <source>Agent</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Offline mode on, with exceptions; questions stay on this computer</source>
        <translation>断网模式已开，有例外；问题不离开本机</translation>
    </message>
    <message>
        <source>All others</source>
        <translation>其他所有</translation>
    </message>
    <message>
        <source>Allow it first, if you trust it.</source>
        <translation>如果你信任它，请先允许它。</translation>
    </message>
    <message>
        <source>Allow it to be replaced, or choose another place.</source>
        <translation>请允许替换，或另选位置。</translation>
    </message>
    <message>
        <source>An agent cannot be called “{0}”.</source>
        <translation>智能体不能叫“{0}”。</translation>
    </message>
    <message>
        <source>Another server</source>
        <translation>其他服务器</translation>
    </message>
    <message>
        <source>Answer with</source>
        <translation>由谁回答</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Argument {0} of {1} must be a JSON {2}.</source>
        <translation>{1} 的参数 {0} 必须是 JSON {2}。</translation>
    </message>
    <message>
        <source>Ask a narrower question, or raise “Rounds per answer” in the settings.</source>
        <translation>请把问题问得窄一些，或在设置中调高“每次回答的轮数”。</translation>
    </message>
    <message>
        <source>Ask a narrower question, or raise “Time limit per answer” in the settings.</source>
        <translation>请把问题问得窄一些，或在设置中调高“每次回答的时限”。</translation>
    </message>
    <message>
        <source>Ask a narrower question, or raise “Tokens per answer” in the settings.</source>
        <translation>请把问题问得窄一些，或在设置中调高“每次回答的 token 数”。</translation>
    </message>
    <message>
        <source>Ask about it</source>
        <translation>就此提问</translation>
    </message>
    <message>
        <source>Ask again.</source>
        <translation>请再问一次。</translation>
    </message>
    <message>
        <source>Ask again. If it happens again, the server may not support the OpenAI protocol.</source>
        <translation>请再问一次。如果仍然如此，该服务器可能不支持 OpenAI 协议。</translation>
    </message>
    <message>
        <source>Ask for 1 to {0}.</source>
        <translation>请设为 1 到 {0}。</translation>
    </message>
    <message>
        <source>Ask in other words, or use another model.</source>
        <translation>请换个说法提问，或换用别的模型。</translation>
    </message>
    <message>
        <source>Ask the question again, and continue from a step of that answer.</source>
        <translation>请重新提问，再从新回答的某一步继续。</translation>
    </message>
    <message>
        <source>Ask the question again.</source>
        <translation>请重新提问。</translation>
    </message>
    <message>
        <source>Ask the shop for a copy without protection.</source>
        <translation>请向商店索取无保护的版本。</translation>
    </message>
    <message>
        <source>Begin it with SELECT or WITH.</source>
        <translation>请以 SELECT 或 WITH 开头。</translation>
    </message>
    <message>
        <source>Begin the address with http:// instead.</source>
        <translation>请让地址以 http:// 开头。</translation>
    </message>
    <message>
        <source>Both answers</source>
        <translation>两个回答</translation>
    </message>
    <message>
        <source>Restore it from the bin.</source>
        <translation>请从回收站恢复它。</translation>
    </message>
    <message>
        <source>Browsers refuse to run for the administrator (root).</source>
        <translation>浏览器不允许以管理员（root）身份运行。</translation>
    </message>
    <message>
        <source>Cancelled before it was fetched.</source>
        <translation>获取之前已取消。</translation>
    </message>
    <message>
        <source>Cancelled before it was read.</source>
        <translation>读取之前已取消。</translation>
    </message>
    <message>
        <source>Cell</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>Change its passages when it is ready.</source>
        <translation>请等它就绪后再更改段落。</translation>
    </message>
    <message>
        <source>Change the filter, or wait until the documents are in the library.</source>
        <translation>请更改筛选，或等文档进入文档库。</translation>
    </message>
    <message>
        <source>Change the filter.</source>
        <translation>请更改筛选。</translation>
    </message>
    <message>
        <source>Change {n}</source>
        <translation>第 {n} 次变更</translation>
    </message>
    <message>
        <source>Changed the tags of {n:,} document</source>
        <comment>Changed the tags of {n:,} documents</comment>
        <translation>已更改 {n:,} 个文档的标签</translation>
    </message>
    <message>
        <source>Changed “{name}”</source>
        <translation>已更改“{name}”</translation>
    </message>
    <message>
        <source>Changed, {number}: {part}</source>
        <translation>第 {number} 次变更：{part}</translation>
    </message>
    <message>
        <source>Change…</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Chapter</source>
        <translation>章</translation>
    </message>
    <message>
        <source>Characters</source>
        <translation>字符</translation>
    </message>
    <message>
        <source>Check address, format and model.</source>
        <translation>请检查地址、格式和模型。</translation>
    </message>
    <message>
        <source>Check answers</source>
        <translation>核对回答</translation>
    </message>
    <message>
        <source>Check its address and password.</source>
        <translation>请检查地址和密码。</translation>
    </message>
    <message>
        <source>Check its conditions.</source>
        <translation>请检查查询条件。</translation>
    </message>
    <message>
        <source>Check its names and its spelling.</source>
        <translation>请检查名称和拼写。</translation>
    </message>
    <message>
        <source>Check its permissions, or choose another folder.</source>
        <translation>请检查其权限，或另选文件夹。</translation>
    </message>
    <message>
        <source>Check its permissions.</source>
        <translation>请检查其权限。</translation>
    </message>
    <message>
        <source>Check its spelling, or add a page by its link.</source>
        <translation>请检查拼写，或按链接添加网页。</translation>
    </message>
    <message>
        <source>Check its spelling.</source>
        <translation>请检查拼写。</translation>
    </message>
    <message>
        <source>Check that the drive is connected and has room, then try again.</source>
        <translation>请检查驱动器是否已连接、是否有空间，然后重试。</translation>
    </message>
    <message>
        <source>Check that the server is running and that the address is right.</source>
        <translation>请检查服务器是否在运行、地址是否正确。</translation>
    </message>
    <message>
        <source>Check that you may open it and that its drive is connected.</source>
        <translation>请检查你是否有权打开它，以及所在的驱动器是否已连接。</translation>
    </message>
    <message>
        <source>Check that you may open it.</source>
        <translation>请检查你是否有权打开它。</translation>
    </message>
    <message>
        <source>Check that you may read it.</source>
        <translation>请检查你是否有权读取它。</translation>
    </message>
    <message>
        <source>Check that {0} can be written.</source>
        <translation>请检查 {0} 是否可以写入。</translation>
    </message>
    <message>
        <source>Check the address and your connection.</source>
        <translation>请检查地址和网络连接。</translation>
    </message>
    <message>
        <source>Check the address of the server in the settings.</source>
        <translation>请在设置中检查服务器的地址。</translation>
    </message>
    <message>
        <source>Check the address of this profile in the settings, and the server&apos;s own log.</source>
        <translation>请在设置中检查此配置的地址，并查看服务器自己的日志。</translation>
    </message>
    <message>
        <source>Check the address of this profile in the settings: it usually ends in /v1.</source>
        <translation>请在设置中检查此配置的地址：通常以 /v1 结尾。</translation>
    </message>
    <message>
        <source>Check the address {0}.</source>
        <translation>请检查地址 {0}。</translation>
    </message>
    <message>
        <source>Check the key of this profile in the settings.</source>
        <translation>请在设置中检查此配置的密钥。</translation>
    </message>
    <message>
        <source>Check the model&apos;s name in the settings.</source>
        <translation>请在设置中检查模型名称。</translation>
    </message>
    <message>
        <source>Check the path and its permissions.</source>
        <translation>请检查路径及其权限。</translation>
    </message>
    <message>
        <source>Check the path.</source>
        <translation>请检查路径。</translation>
    </message>
    <message>
        <source>Check the spelling, or whether it was moved.</source>
        <translation>请检查拼写，或它是否已被移动。</translation>
    </message>
    <message>
        <source>Check the spelling, or whether its drive is connected.</source>
        <translation>请检查拼写，或其所在的驱动器是否已连接。</translation>
    </message>
    <message>
        <source>Check the spelling, then try again.</source>
        <translation>请检查拼写，然后重试。</translation>
    </message>
    <message>
        <source>Check whether it was moved.</source>
        <translation>请检查它是否已被移动。</translation>
    </message>
    <message>
        <source>Check which file it is.</source>
        <translation>请检查这是哪个文件。</translation>
    </message>
    <message>
        <source>Checked</source>
        <translation>核对结果</translation>
    </message>
    <message>
        <source>Choose</source>
        <translation>选择</translation>
    </message>
    <message>
        <source>Choose a bundle or a JSON export.</source>
        <translation>请选择归档包或 JSON 导出文件。</translation>
    </message>
    <message>
        <source>Choose a cross-encoder, for example bge-reranker.</source>
        <translation>请选择交叉编码器（cross-encoder），例如 bge-reranker。</translation>
    </message>
    <message>
        <source>Choose a file ending in .kwbundle.</source>
        <translation>请选择以 .kwbundle 结尾的文件。</translation>
    </message>
    <message>
        <source>Choose a file that was exported as JSON.</source>
        <translation>请选择以 JSON 导出的文件。</translation>
    </message>
    <message>
        <source>Choose a folder for the library.</source>
        <translation>请为文档库选择一个文件夹。</translation>
    </message>
    <message>
        <source>Choose a folder you may write to, or change its permissions.</source>
        <translation>请选择你有权写入的文件夹，或更改其权限。</translation>
    </message>
    <message>
        <source>Choose a model made for reranking.</source>
        <translation>请选择用于重排的模型。</translation>
    </message>
    <message>
        <source>Choose a model that comes with a tokenizer.json.</source>
        <translation>请选择带有 tokenizer.json 的模型。</translation>
    </message>
    <message>
        <source>Choose a model that the server offers, in the settings.</source>
        <translation>请在设置中选择服务器提供的模型。</translation>
    </message>
    <message>
        <source>Choose a short name without “=”.</source>
        <translation>请选择一个不含“=”的短名称。</translation>
    </message>
    <message>
        <source>Choose another file.</source>
        <translation>请选择其他文件。</translation>
    </message>
    <message>
        <source>Choose another library folder.</source>
        <translation>请选择别的文档库文件夹。</translation>
    </message>
    <message>
        <source>Choose another model.</source>
        <translation>请另选模型。</translation>
    </message>
    <message>
        <source>Choose another name.</source>
        <translation>请换一个名称。</translation>
    </message>
    <message>
        <source>Choose another one.</source>
        <translation>请另选一个。</translation>
    </message>
    <message>
        <source>Choose another passage.</source>
        <translation>请另选一个段落。</translation>
    </message>
    <message>
        <source>Choose another place.</source>
        <translation>请另选位置。</translation>
    </message>
    <message>
        <source>Choose another sentence-transformers model in the settings, or leave the field empty.</source>
        <translation>请在设置中选择另一个 sentence-transformers 模型，或将此项留空。</translation>
    </message>
    <message>
        <source>Choose another sentence-transformers model.</source>
        <translation>请选择另一个 sentence-transformers 模型。</translation>
    </message>
    <message>
        <source>Choose another “Agent” in the settings.</source>
        <translation>请在设置中选择另一个“智能体”。</translation>
    </message>
    <message>
        <source>Choose at least one.</source>
        <translation>请至少选择一个。</translation>
    </message>
    <message>
        <source>Choose csv or md.</source>
        <translation>请选择 csv 或 md。</translation>
    </message>
    <message>
        <source>Choose one in the settings.</source>
        <translation>请在设置中选择一个。</translation>
    </message>
    <message>
        <source>Choose one of {0}.</source>
        <translation>请从 {0} 中选择。</translation>
    </message>
    <message>
        <source>Choose one of: {0}.</source>
        <translation>可选：{0}。</translation>
    </message>
    <message>
        <source>Choose the format that the server speaks.</source>
        <translation>请选择服务器所用的格式。</translation>
    </message>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
    <message>
        <source>Passage overlap</source>
        <translation>段落重叠</translation>
    </message>
    <message>
        <source>Passage size</source>
        <translation>段落大小</translation>
    </message>
    <message>
        <source>Close every quotation mark.</source>
        <translation>请补全未闭合的引号。</translation>
    </message>
    <message>
        <source>Close it there first, or choose another library folder.</source>
        <translation>请先在那里关闭，或选择别的文档库文件夹。</translation>
    </message>
    <message>
        <source>Close other programs to free memory, then try again.</source>
        <translation>请关闭其他程序以释放内存，然后重试。</translation>
    </message>
    <message>
        <source>Close other programs, and read it again.</source>
        <translation>请关闭其他程序后重新读取。</translation>
    </message>
    <message>
        <source>Close the other program and try again.</source>
        <translation>请关闭那个程序，然后重试。</translation>
    </message>
    <message>
        <source>Cohere (/v2/rerank), Jina and most others (/v1/rerank), or Text Embeddings Inference (/rerank).</source>
        <translation>Cohere（/v2/rerank）、Jina 等多数服务器（/v1/rerank），或 Text Embeddings Inference（/rerank）。</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>列</translation>
    </message>
    <message>
        <source>Compare answers</source>
        <translation>比较回答</translation>
    </message>
    <message>
        <source>Compare answers…</source>
        <translation>比较回答…</translation>
    </message>
    <message>
        <source>Compare it, for example {0}:3 or {1}&gt;=3.</source>
        <translation>请做比较，例如 {0}:3 或 {1}&gt;=3。</translation>
    </message>
    <message>
        <source>Comparing…</source>
        <translation>正在比较…</translation>
    </message>
    <message>
        <source>Continue from the left answer</source>
        <translation>从左侧回答继续</translation>
    </message>
    <message>
        <source>Continue from the right answer</source>
        <translation>从右侧回答继续</translation>
    </message>
    <message>
        <source>Convert it to EPUB, for example with Calibre.</source>
        <translation>请转换为 EPUB，例如用 Calibre。</translation>
    </message>
    <message>
        <source>Copy it again from the browser&apos;s address bar.</source>
        <translation>请从浏览器地址栏重新复制。</translation>
    </message>
    <message>
        <source>Copy the key and enter it again.</source>
        <translation>请重新复制并输入密钥。</translation>
    </message>
    <message>
        <source>Delete the folder {0} and try again: it will be created again.</source>
        <translation>请删除文件夹 {0} 后重试：它会重新生成。</translation>
    </message>
    <message>
        <source>Delete {0}.</source>
        <translation>请删除 {0}。</translation>
    </message>
    <message>
        <source>Difference {n} of {total}: left “{left}”, right “{right}”.</source>
        <translation>差异 {n}/{total}：左侧“{left}”，右侧“{right}”。</translation>
    </message>
    <message>
        <source>Difference {n} of {total}: “{text}” is only in the left one.</source>
        <translation>差异 {n}/{total}：“{text}”仅左侧有。</translation>
    </message>
    <message>
        <source>Difference {n} of {total}: “{text}” is only in the right one.</source>
        <translation>差异 {n}/{total}：“{text}”仅右侧有。</translation>
    </message>
    <message>
        <source>Embedding model</source>
        <translation>嵌入模型</translation>
    </message>
    <message>
        <source>Ended</source>
        <translation>结束状态</translation>
    </message>
    <message>
        <source>Enter a key for this profile in the settings.</source>
        <translation>请在设置中为此配置输入密钥。</translation>
    </message>
    <message>
        <source>Enter it again in the settings.</source>
        <translation>请在设置中重新输入。</translation>
    </message>
    <message>
        <source>Enter other servers by their address.</source>
        <translation>其他服务器请填写其地址。</translation>
    </message>
    <message>
        <source>Enter the key in its own field.</source>
        <translation>请把密钥填在密钥栏里。</translation>
    </message>
    <message>
        <source>Enter the model&apos;s name.</source>
        <translation>请输入模型名称。</translation>
    </message>
    <message>
        <source>Enter the password to have it read.</source>
        <translation>输入密码后即可读取。</translation>
    </message>
    <message>
        <source>Enter the server&apos;s key in the settings.</source>
        <translation>请在设置中输入服务器的密钥。</translation>
    </message>
    <message>
        <source>Error recording analysis: {0}</source>
        <translation>记录分析时出错：{0}</translation>
    </message>
    <message>
        <source>Error recording thought: {0}</source>
        <translation>记录思考时出错：{0}</translation>
    </message>
    <message>
        <source>Exact (fp32)</source>
        <translation>精确（fp32）</translation>
    </message>
    <message>
        <source>Export it without the original files.</source>
        <translation>请在导出时不包含原始文件。</translation>
    </message>
    <message>
        <source>Export the mailbox again in the mail program.</source>
        <translation>请在邮件程序中重新导出邮箱。</translation>
    </message>
    <message>
        <source>Faster (int8)</source>
        <translation>较快（int8）</translation>
    </message>
    <message>
        <source>Files ending in “{0}” ({1}) cannot be read.</source>
        <translation>无法读取以“{0}”结尾的文件（{1}）。</translation>
    </message>
    <message>
        <source>Filter models</source>
        <translation>筛选模型</translation>
    </message>
    <message>
        <source>Floor</source>
        <translation>相关度下限</translation>
    </message>
    <message>
        <source>For example “llama3.2” or “gpt-5.4-mini”.</source>
        <translation>例如“llama3.2”或“gpt-5.4-mini”。</translation>
    </message>
    <message>
        <source>Found</source>
        <comment>verdict</comment>
        <translation>找到</translation>
    </message>
    <message>
        <source>Found in none of {0:d} documents.</source>
        <translation>{0} 个文档中都没有找到相关内容。</translation>
    </message>
    <message>
        <source>Found in {0:d} of {1:d} documents: the quotes are in the table.</source>
        <translation>{1} 个文档中有 {0} 个含有相关内容：引文见表格。</translation>
    </message>
    <message>
        <source>Free some space and try again; nothing that was saved before is lost.</source>
        <translation>请腾出一些空间再试；之前保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>Free some space there (about 250 MB), or make the folder writable.</source>
        <translation>请在那里腾出一些空间（约 250 MB），或让该文件夹可写。</translation>
    </message>
    <message>
        <source>Free some space, then try again.</source>
        <translation>请腾出一些空间，然后重试。</translation>
    </message>
    <message>
        <source>Free some space; it is rebuilt on the next start.</source>
        <translation>请腾出一些空间；下次启动时会重新生成。</translation>
    </message>
    <message>
        <source>Give a date, for example {0}:2024 or {1}:2024-05-31.</source>
        <translation>请给出日期，例如 {0}:2024 或 {1}:2024-05-31。</translation>
    </message>
    <message>
        <source>Give a list of {&quot;key&quot;: ..., &quot;value&quot;: ...}.</source>
        <translation>请给出由 {&quot;key&quot;: ..., &quot;value&quot;: ...} 组成的列表。</translation>
    </message>
    <message>
        <source>Give a number, for example {0}:3.</source>
        <translation>请给出数字，例如 {0}:3。</translation>
    </message>
    <message>
        <source>Give a text, a number or a date.</source>
        <translation>请给出文字、数字或日期。</translation>
    </message>
    <message>
        <source>Give a value from 0 to 1.</source>
        <translation>请填写 0 到 1 之间的值。</translation>
    </message>
    <message>
        <source>Give a value from {0} to {1}.</source>
        <translation>请填写 {0} 到 {1} 之间的值。</translation>
    </message>
    <message>
        <source>Give an SQLite file, or an address with postgresql://.</source>
        <translation>请给出 SQLite 文件，或以 postgresql:// 开头的地址。</translation>
    </message>
    <message>
        <source>Give it a name of 1 to {0} letters.</source>
        <translation>请使用 1 到 {0} 个字符的名称。</translation>
    </message>
    <message>
        <source>Give it another name.</source>
        <translation>请换一个名称。</translation>
    </message>
    <message>
        <source>Give it its right name, or save it again.</source>
        <translation>请改为正确的文件名，或重新保存。</translation>
    </message>
    <message>
        <source>Give its folder or hub name in the settings.</source>
        <translation>请在设置中填写它的文件夹或 Hub 名称。</translation>
    </message>
    <message>
        <source>Give the address of a page or a document.</source>
        <translation>请给出网页或文档的地址。</translation>
    </message>
    <message>
        <source>Give the folder of a cross-encoder, or its hub name.</source>
        <translation>请填写交叉编码器（cross-encoder）的文件夹或 Hub 名称。</translation>
    </message>
    <message>
        <source>Give the folder of a sentence-transformers model, or its hub name.</source>
        <translation>请填写 sentence-transformers 模型的文件夹或 Hub 名称。</translation>
    </message>
    <message>
        <source>Give the name of the variable that holds the key, for example OPENAI_API_KEY, not the key itself.</source>
        <translation>请给出存放密钥的变量名，例如 OPENAI_API_KEY，而不是密钥本身。</translation>
    </message>
    <message>
        <source>Have it exported again.</source>
        <translation>请让对方重新导出。</translation>
    </message>
    <message>
        <source>If it shows text, a larger or sharper picture may help.</source>
        <translation>如果能看到文字，换用更大或更清晰的图片可能有帮助。</translation>
    </message>
    <message>
        <source>If you trust that address, enter it in the profile.</source>
        <translation>如果你信任那个地址，请把它填入配置。</translation>
    </message>
    <message>
        <source>If you trust that address, enter it in the settings.</source>
        <translation>如果你信任那个地址，请在设置中填写。</translation>
    </message>
    <message>
        <source>Index the documents again with the new model.</source>
        <translation>请用新模型重新索引文档。</translation>
    </message>
    <message>
        <source>Install it again.</source>
        <translation>请重新安装。</translation>
    </message>
    <message>
        <source>Install it: pip install “psycopg[binary]”.</source>
        <translation>请安装：pip install “psycopg[binary]”。</translation>
    </message>
    <message>
        <source>Install the program again.</source>
        <translation>请重新安装本程序。</translation>
    </message>
    <message>
        <source>Is the server busy?</source>
        <translation>服务器是否繁忙？</translation>
    </message>
    <message>
        <source>Is the server running, and its address right?</source>
        <translation>服务器是否在运行、地址是否正确？</translation>
    </message>
    <message>
        <source>It comes with PyMuPDF: install the program again.</source>
        <translation>它随 PyMuPDF 提供：请重新安装本程序。</translation>
    </message>
    <message>
        <source>It did not call the tool when asked to.</source>
        <translation>要求它调用工具时，它没有调用。</translation>
    </message>
    <message>
        <source>It has no “question”.</source>
        <translation>缺少“question”。</translation>
    </message>
    <message>
        <source>It has {0:d}.</source>
        <translation>共有 {0} 个字符。</translation>
    </message>
    <message>
        <source>It has {0}.</source>
        <translation>现有：{0}。</translation>
    </message>
    <message>
        <source>It is damaged in the archive.</source>
        <translation>它在压缩包中已损坏。</translation>
    </message>
    <message>
        <source>It is not JSON.</source>
        <translation>不是 JSON。</translation>
    </message>
    <message>
        <source>It is not a JSON object.</source>
        <translation>不是 JSON 对象。</translation>
    </message>
    <message>
        <source>It is nested more than {0} files deep.</source>
        <translation>它嵌套在 {0} 层以上的文件中。</translation>
    </message>
    <message>
        <source>It looks like this: {&quot;steps&quot;: [&quot;…&quot;]}</source>
        <translation>它应当像这样：{&quot;steps&quot;: [&quot;…&quot;]}</translation>
    </message>
    <message>
        <source>It may consist of pictures of its pages.</source>
        <translation>它可能由各页的图片组成。</translation>
    </message>
    <message>
        <source>It may have been made to break programs.</source>
        <translation>它可能是用来让程序崩溃的。</translation>
    </message>
    <message>
        <source>It may have been moved or deleted.</source>
        <translation>它可能已被移动或删除。</translation>
    </message>
    <message>
        <source>It may have been removed meanwhile.</source>
        <translation>它可能在此期间已被移除。</translation>
    </message>
    <message>
        <source>It names no passage, document or answer to be found.</source>
        <translation>没有指出要找到的段落、文档或答案。</translation>
    </message>
    <message>
        <source>It needs about 1 GB of free memory; close other programs and try again.</source>
        <translation>它需要约 1 GB 空闲内存；请关闭其他程序后重试。</translation>
    </message>
    <message>
        <source>In the test, it ranked an unrelated sentence above the right one.</source>
        <translation>在测试中，它把无关的句子排在了正确的句子之前。</translation>
    </message>
    <message>
        <source>In the test, it ranked the right one of three sentences first, in {0:d} ms.</source>
        <translation>在测试中，它把三句话中正确的一句排在了第一，用时 {0} 毫秒。</translation>
    </message>
    <message>
        <source>It can call tools.</source>
        <translation>它可以调用工具。</translation>
    </message>
    <message>
        <source>It searches {0}. Choose one, or all.</source>
        <translation>它搜索 {0}。请选择其一，或全部。</translation>
    </message>
    <message>
        <source>It has room for only {0:d} tokens in its context, so long passages are shortened.</source>
        <translation>它的上下文只能容纳 {0} 个 token，因此较长的段落会被缩短。</translation>
    </message>
    <message>
        <source>It showed no reasoning of its own.</source>
        <translation>它没有显示自己的推理。</translation>
    </message>
    <message>
        <source>It would grow {0:d}-fold when unpacked, which no document does.</source>
        <translation>解压后会膨胀到原来的 {0} 倍，正常的文档不会这样。</translation>
    </message>
    <message>
        <source>It wrote too little to measure its speed.</source>
        <translation>它写得太少，无法测出速度。</translation>
    </message>
    <message>
        <source>Its new version is read instead.</source>
        <translation>改为读取它的新版本。</translation>
    </message>
    <message>
        <source>Its own reasoning is shown while it thinks.</source>
        <translation>思考时会显示它自己的推理。</translation>
    </message>
    <message>
        <source>Its text can be read in the inspector.</source>
        <translation>其文字可以在检查器中阅读。</translation>
    </message>
    <message>
        <source>Keywords are words.</source>
        <translation>关键词应为词语。</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>以后再说</translation>
    </message>
    <message>
        <source>Leave it out.</source>
        <translation>请去掉它。</translation>
    </message>
    <message>
        <source>Leave it out: what is remembered is sent to the model with later questions.</source>
        <translation>请去掉它：记住的内容会在以后提问时发送给模型。</translation>
    </message>
    <message>
        <source>Leave out which one to use.</source>
        <translation>请不要指定使用哪一个。</translation>
    </message>
    <message>
        <source>Leave something out, or export as Markdown.</source>
        <translation>请去掉一些内容，或导出为 Markdown。</translation>
    </message>
    <message>
        <source>Left answer</source>
        <translation>左侧回答</translation>
    </message>
    <message>
        <source>LibreOffice cannot read the file: it is damaged.</source>
        <translation>LibreOffice 无法读取该文件：它已损坏。</translation>
    </message>
    <message>
        <source>Link a folder of documents.</source>
        <translation>请关联一个放文档的文件夹。</translation>
    </message>
    <message>
        <source>Load or download one there, or enter its name.</source>
        <translation>请在那里加载或下载一个，或填写其名称。</translation>
    </message>
    <message>
        <source>Look at it again.</source>
        <translation>请重新查看。</translation>
    </message>
    <message>
        <source>Look at the address in a browser.</source>
        <translation>请在浏览器中查看该地址。</translation>
    </message>
    <message>
        <source>Look at the document as it is now.</source>
        <translation>请查看文档现在的样子。</translation>
    </message>
    <message>
        <source>Look at the file, and allow it with “workbench plugins allow {0}”.</source>
        <translation>请查看该文件，再用“workbench plugins allow {0}”允许它。</translation>
    </message>
    <message>
        <source>Look at the list of edits.</source>
        <translation>请查看编辑列表。</translation>
    </message>
    <message>
        <source>Look at the passage as it is now.</source>
        <translation>请查看段落现在的样子。</translation>
    </message>
    <message>
        <source>Check your account there.</source>
        <translation>请到该服务的账户中查看。</translation>
    </message>
    <message>
        <source>Make it again, or get another copy.</source>
        <translation>请重新制作，或换一份副本。</translation>
    </message>
    <message>
        <source>Make the archive again, or get another copy.</source>
        <translation>请重新制作压缩包，或换一份副本。</translation>
    </message>
    <message>
        <source>Mark a passage of an answer.</source>
        <translation>请标记回答中的一个段落。</translation>
    </message>
    <message>
        <source>Mark passages below an answer, or read golden questions from a file: workbench eval --from FILE.jsonl</source>
        <translation>请在回答下方标记段落，或从文件读取评测问题：workbench eval --from FILE.jsonl</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Memory limit per file</source>
        <translation>每个文件的内存上限</translation>
    </message>
    <message>
        <source>Memory limit per plug-in</source>
        <translation>每个插件的内存上限</translation>
    </message>
    <message>
        <source>Fix it first.</source>
        <translation>请先修复它。</translation>
    </message>
    <message>
        <source>Missing required argument of {0}: {1}.</source>
        <translation>{0} 缺少必需的参数：{1}。</translation>
    </message>
    <message>
        <source>Models to choose from: {0}.</source>
        <translation>可选的模型：{0}。</translation>
    </message>
    <message>
        <source>Name at most {0}.</source>
        <translation>最多列出 {0} 个。</translation>
    </message>
    <message>
        <source>Name the folder that holds “agents”.</source>
        <translation>请指定含有“agents”的文件夹。</translation>
    </message>
    <message>
        <source>Neither cites a source</source>
        <translation>两者都没有引用来源</translation>
    </message>
    <message>
        <source>Next difference</source>
        <translation>下一处差异</translation>
    </message>
    <message>
        <source>No article of this name at {0}.</source>
        <translation>{0} 上没有这个名称的条目。</translation>
    </message>
    <message>
        <source>No connection to the database: {0}.</source>
        <translation>无法连接数据库：{0}。</translation>
    </message>
    <message>
        <source>No connection to “{0}”: {1}.</source>
        <translation>无法连接“{0}”：{1}。</translation>
    </message>
    <message>
        <source>Put the token into it.</source>
        <translation>请把令牌放进这个变量。</translation>
    </message>
    <message>
        <source>Offline mode is on, with exceptions</source>
        <translation>断网模式已开，有例外</translation>
    </message>
    <message>
        <source>Offline mode is on, with one exception: {0}.</source>
        <translation>断网模式已开，有一个例外：{0}。</translation>
    </message>
    <message>
        <source>Offline mode is on, with {0:d} exceptions, first {1}.</source>
        <translation>断网模式已开，有 {0} 个例外，首先是{1}。</translation>
    </message>
    <message>
        <source>The environment variable {0} does not contain a token.</source>
        <translation>环境变量 {0} 的内容不是令牌。</translation>
    </message>
    <message>
        <source>only the first {0:d} messages were read; divide the mailbox and add the parts</source>
        <translation>只读取了前 {0} 封邮件；请拆分邮箱后添加各部分</translation>
    </message>
    <message>
        <source>the first {0:d} chapters of {1:d} were read; divide the book and add the parts</source>
        <translation>读取了 {1} 章中的前 {0} 章；请拆分图书后添加各部分</translation>
    </message>
    <message>
        <source>the text of 1 cell: {0}</source>
        <translation>1 个单元格的文字：{0}</translation>
    </message>
    <message>
        <source>the texts of {0:d} cells: {1}</source>
        <translation>{0} 个单元格的文字：{1}</translation>
    </message>
    <message>
        <source>the workbook has more than {0:d} texts; save its sheets as CSV and add those</source>
        <translation>工作簿的文字超过 {0} 条；请将其工作表另存为 CSV 后添加</translation>
    </message>
    <message>
        <source>took longer than {0}</source>
        <translation>用时超过 {0}</translation>
    </message>
    <message>
        <source>the content of {0}: {1}</source>
        <translation>{0}的内容：{1}</translation>
    </message>
    <message>
        <source>where 1 link leads: {0}</source>
        <translation>1 个链接的去向：{0}</translation>
    </message>
    <message>
        <source>where {0:d} links lead: {1}</source>
        <translation>{0} 个链接的去向：{1}</translation>
    </message>
    <message>
        <source>{0:d} cells; add the file by itself</source>
        <translation>{0} 个单元格；请单独添加此文件</translation>
    </message>
    <message>
        <source>{0:d} cells; not all was read of {1}; save these sheets as CSV and add those</source>
        <translation>{0} 个单元格；{1} 没有全部读取；请将这些工作表另存为 CSV 后添加</translation>
    </message>
    <message>
        <source>{0} failed (error {1}): {2}</source>
        <translation>{0} 出错（错误 {1}）：{2}</translation>
    </message>
    <message>
        <source>{0} has no list of its models.</source>
        <translation>{0} 没有模型列表。</translation>
    </message>
    <message>
        <source>{0} has no model named “{1}” ({2}).</source>
        <translation>{0} 没有名为“{1}”的模型（{2}）。</translation>
    </message>
    <message>
        <source>{0} has no model named “{1}”.</source>
        <translation>{0} 没有名为“{1}”的模型。</translation>
    </message>
    <message>
        <source>{0} is not on this computer.</source>
        <translation>{0} 不在本机上。</translation>
    </message>
    <message>
        <source>{0} lists no models.</source>
        <translation>{0} 没有列出任何模型。</translation>
    </message>
    <message>
        <source>{0} refused the request (error {1}).</source>
        <translation>{0} 拒绝了请求（错误 {1}）。</translation>
    </message>
    <message>
        <source>{0} refused the request: {1}</source>
        <translation>{0} 拒绝了请求：{1}</translation>
    </message>
    <message>
        <source>{0}: {1} could not be read.</source>
        <translation>{0}：{1} 项无法读取。</translation>
    </message>
    <message>
        <source>{0}: {1} pages of the database could not be read.</source>
        <translation>{0}：数据库中有 {1} 页无法读取。</translation>
    </message>
    <message>
        <source>{0}: {1} without an owner, moved to quarantine.</source>
        <translation>{0}：{1} 条记录没有所属，已移到隔离区。</translation>
    </message>
    <message>
        <source>{0}: {1} without an owner.</source>
        <translation>{0}：{1} 条记录没有所属。</translation>
    </message>
    <message>
        <source>≈ {used:,} of {limit:,} tokens</source>
        <translation>≈ {used:,}/{limit:,} token</translation>
    </message>
    <message>
        <source>No page of the file can be read.</source>
        <translation>文件中没有一页可以读取。</translation>
    </message>
    <message>
        <source>There is no passage of this document at this place.</source>
        <translation>此处没有这个文档的段落。</translation>
    </message>
    <message>
        <source>No reranking model is chosen.</source>
        <translation>没有选择重排模型。</translation>
    </message>
    <message>
        <source>No server for web searches is set.</source>
        <translation>没有设置用于网络搜索的服务器。</translation>
    </message>
    <message>
        <source>No text was found in the picture.</source>
        <translation>图片中没有找到文字。</translation>
    </message>
    <message>
        <source>No text was found in the pictures.</source>
        <translation>这些图片中没有找到文字。</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>编辑(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>1 character could not be read</source>
        <translation>1 个字符无法读取</translation>
    </message>
    <message>
        <source>1 passage is longer than the embedding model reads at once</source>
        <translation>1 个段落超出嵌入模型一次能读取的长度</translation>
    </message>
    <message>
        <source>1 passage without a vector</source>
        <translation>1 个段落没有向量</translation>
    </message>
    <message>
        <source>1 document ({0})</source>
        <translation>1 个文档（{0}）</translation>
    </message>
    <message>
        <source>1 document fewer</source>
        <translation>少了 1 个文档</translation>
    </message>
    <message>
        <source>1 document is locked, or could not be read: not among these.</source>
        <translation>1 个文档已加密或无法读取：不在其中。</translation>
    </message>
    <message>
        <source>1 document is waiting to be read into the library: not among these.</source>
        <translation>1 个文档正等待读入文档库：不在其中。</translation>
    </message>
    <message>
        <source>1 document more</source>
        <translation>多了 1 个文档</translation>
    </message>
    <message>
        <source>1 paragraph is repeated in it</source>
        <translation>其中有 1 个自然段重复出现</translation>
    </message>
    <message>
        <source>1 part of a message: {0}</source>
        <translation>邮件的 1 个部分：{0}</translation>
    </message>
    <message>
        <source>1 passage fewer</source>
        <translation>少了 1 个段落</translation>
    </message>
    <message>
        <source>1 passage more</source>
        <translation>多了 1 个段落</translation>
    </message>
    <message>
        <source>1 picture not read</source>
        <translation>1 张图片未读取</translation>
    </message>
    <message>
        <source>1 repetition of the same row or cell</source>
        <translation>同一行或单元格的 1 次重复</translation>
    </message>
    <message>
        <source>1 row of a table of more than {0:d} cells; save the table as CSV and add that</source>
        <translation>超过 {0} 个单元格的表格中的 1 行；请将表格另存为 CSV 后添加</translation>
    </message>
    <message>
        <source>1 second</source>
        <translation>1 秒</translation>
    </message>
    <message>
        <source>1 sentence</source>
        <translation>1 个句子</translation>
    </message>
    <message>
        <source>1 sentence could not be checked: the passages are in another language</source>
        <translation>1 个句子无法核对：段落是另一种语言</translation>
    </message>
    <message>
        <source>1 table found</source>
        <translation>找到 1 个表格</translation>
    </message>
    <message>
        <source>1 table found there.</source>
        <translation>在其中找到 1 个表格。</translation>
    </message>
    <message>
        <source>1 vector fewer</source>
        <translation>少了 1 个向量</translation>
    </message>
    <message>
        <source>1 vector more</source>
        <translation>多了 1 个向量</translation>
    </message>
    <message>
        <source>1 was given</source>
        <translation>只给出 1 段</translation>
    </message>
    <message>
        <source>2024, 2024-05 or 2024-05-31</source>
        <translation>2024、2024-05 或 2024-05-31</translation>
    </message>
    <message>
        <source>A and B do equally well on all of {n:,} question.</source>
        <comment>A and B do equally well on all of {n:,} questions.</comment>
        <translation>全部 {n:,} 个问题上，A 和 B 一样好。</translation>
    </message>
    <message>
        <source>A bracket is closed that was not opened</source>
        <translation>有多余的右括号</translation>
    </message>
    <message>
        <source>A bracket is not closed</source>
        <translation>括号没有闭合</translation>
    </message>
    <message>
        <source>A model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>A passage has at most {0:d} characters.</source>
        <translation>一个段落最多有 {0} 个字符。</translation>
    </message>
    <message>
        <source>A password is needed for the archive “{0}”.</source>
        <translation>压缩包“{0}”需要密码。</translation>
    </message>
    <message>
        <source>A question</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>A quotation mark is not closed</source>
        <translation>引号没有闭合</translation>
    </message>
    <message>
        <source>A search failed, so it is not known whether your documents contain an answer.</source>
        <translation>有一次搜索未成功，因此无法确定文档中是否有答案。</translation>
    </message>
    <message>
        <source>A server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>You changed a tool&apos;s result in this answer, so it may say things that no document says.</source>
        <translation>你修改了此回答中的一个工具结果，因此其中的内容可能在任何文档中都没有依据。</translation>
    </message>
    <message>
        <source>AGENT.md holds no prompt; the agent was left out.</source>
        <translation>AGENT.md 中没有提示词，已略去该智能体。</translation>
    </message>
    <message>
        <source>About</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>About 1 token a second, or less.</source>
        <translation>每秒约 1 个 token 或更少。</translation>
    </message>
    <message>
        <source>About {size}, often less</source>
        <translation>约 {size}，往往更小</translation>
    </message>
    <message>
        <source>Access databases</source>
        <translation>Access 数据库</translation>
    </message>
    <message>
        <source>Action</source>
        <translation>动作</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Add a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Add documents</source>
        <translation>添加文档</translation>
    </message>
    <message>
        <source>Add documents, then ask</source>
        <translation>先添加文档，再提问</translation>
    </message>
    <message>
        <source>Add files</source>
        <translation>添加文件</translation>
    </message>
    <message>
        <source>Add files…</source>
        <translation>添加文件…</translation>
    </message>
    <message>
        <source>Add folder</source>
        <translation>添加文件夹</translation>
    </message>
    <message>
        <source>Add folder…</source>
        <translation>添加文件夹…</translation>
    </message>
    <message>
        <source>Add from database</source>
        <translation>从数据库添加</translation>
    </message>
    <message>
        <source>Add from database…</source>
        <translation>从数据库添加…</translation>
    </message>
    <message>
        <source>Add from file…</source>
        <translation>从文件添加…</translation>
    </message>
    <message>
        <source>Add golden questions</source>
        <translation>添加评测问题</translation>
    </message>
    <message>
        <source>Add link</source>
        <translation>添加链接</translation>
    </message>
    <message>
        <source>Add link…</source>
        <translation>添加链接…</translation>
    </message>
    <message>
        <source>Add questions from a file…</source>
        <translation>从文件添加问题…</translation>
    </message>
    <message>
        <source>Add to knowledge</source>
        <translation>加入知识库</translation>
    </message>
    <message>
        <source>Paste copied files</source>
        <translation>添加剪贴板内容</translation>
    </message>
    <message>
        <source>Add {n:,} document</source>
        <comment>Add {n:,} documents</comment>
        <translation>添加 {n:,} 个文档</translation>
    </message>
    <message>
        <source>Add {n:,} document?</source>
        <comment>Add {n:,} documents?</comment>
        <translation>添加 {n:,} 个文档？</translation>
    </message>
    <message>
        <source>Added</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Additional context</source>
        <translation>附加上下文</translation>
    </message>
    <message>
        <source>Additional information</source>
        <translation>附加信息</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Address of a JSON document that names the newest version of this program. Leave empty for no check. Otherwise it is fetched at most once a day; nothing is downloaded or installed.</source>
        <translation>JSON 文档的地址，其中写明本程序的最新版本。留空则不检查；否则每天最多获取一次，不会下载或安装任何内容。</translation>
    </message>
    <message>
        <source>Agent: {name} ▾</source>
        <translation>智能体：{name} ▾</translation>
    </message>
    <message>
        <source>Agents</source>
        <translation>智能体</translation>
    </message>
    <message>
        <source>Agents of workspaces</source>
        <translation>工作区的智能体</translation>
    </message>
    <message>
        <source>Agents…</source>
        <translation>智能体…</translation>
    </message>
    <message>
        <source>Offline mode</source>
        <translation>断网模式</translation>
    </message>
    <message>
        <source>Offline mode off; questions stay on this computer</source>
        <translation>断网模式已关；提问仍留在本机</translation>
    </message>
    <message>
        <source>Offline mode on: nothing leaves this computer</source>
        <translation>断网模式已开：没有任何内容离开本机</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>All details</source>
        <translation>全部详情</translation>
    </message>
    <message>
        <source>All documents</source>
        <translation>所有文档</translation>
    </message>
    <message>
        <source>All files</source>
        <translation>所有文件</translation>
    </message>
    <message>
        <source>All files ({endings})</source>
        <translation>所有文件 ({endings})</translation>
    </message>
    <message>
        <source>All knowledge bases</source>
        <translation>所有知识库</translation>
    </message>
    <message>
        <source>All requests</source>
        <translation>全部请求</translation>
    </message>
    <message>
        <source>All tools of {0}</source>
        <translation>{0} 的全部工具</translation>
    </message>
    <message>
        <source>Allow</source>
        <translation>允许</translation>
    </message>
    <message>
        <source>Allow this address</source>
        <translation>允许此地址</translation>
    </message>
    <message>
        <source>Allow this command</source>
        <translation>允许此命令</translation>
    </message>
    <message>
        <source>Allow {host} too</source>
        <translation>也允许 {host}</translation>
    </message>
    <message>
        <source>Allowed by you.</source>
        <translation>已由你批准。</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Always in this session</source>
        <translation>本会话中始终批准</translation>
    </message>
    <message>
        <source>“Rounds per answer” is too low for a plan; the question is answered directly.</source>
        <translation>“每次回答的轮数”太少，无法执行计划，因此直接回答此问题。</translation>
    </message>
    <message>
        <source>Analyze</source>
        <translation>分析</translation>
    </message>
    <message>
        <source>Another program, or the system, ended the reading of this file.</source>
        <translation>其他程序或系统中止了此文件的读取。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Answer of a model</source>
        <translation>模型回答</translation>
    </message>
    <message>
        <source>Answer without a plan</source>
        <translation>不按计划，直接回答</translation>
    </message>
    <message>
        <source>Answered by</source>
        <translation>由谁回答</translation>
    </message>
    <message>
        <source>Answers</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>Answers that cannot be read: {0}, to {1}</source>
        <translation>无法读取的回答：{0} 个，问题为 {1}</translation>
    </message>
    <message>
        <source>Answers: {name}</source>
        <translation>回答：{name}</translation>
    </message>
    <message>
        <source>Anywhere</source>
        <translation>任何位置</translation>
    </message>
    <message>
        <source>Apple Keynote</source>
        <translation>Apple Keynote 演示</translation>
    </message>
    <message>
        <source>Apple Numbers</source>
        <translation>Apple Numbers 表格</translation>
    </message>
    <message>
        <source>Apple Pages</source>
        <translation>Apple Pages 文稿</translation>
    </message>
    <message>
        <source>Approve</source>
        <translation>批准</translation>
    </message>
    <message>
        <source>Approve as changed</source>
        <translation>按修改批准</translation>
    </message>
    <message>
        <source>Approve or deny it among the steps of the answer.</source>
        <translation>请在回答的步骤中批准或拒绝。</translation>
    </message>
    <message>
        <source>Approve, and do not ask about {tool} again in this session</source>
        <translation>批准，本会话中不再询问 {tool}</translation>
    </message>
    <message>
        <source>Archive</source>
        <translation>归档</translation>
    </message>
    <message>
        <source>Archive</source>
        <comment>a file that holds others</comment>
        <translation>压缩包</translation>
    </message>
    <message>
        <source>Archive or restore</source>
        <translation>归档或取消归档</translation>
    </message>
    <message>
        <source>Archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>Archived ({n:,})</source>
        <translation>已归档 ({n:,})</translation>
    </message>
    <message>
        <source>Archived {named}</source>
        <translation>已归档{named}</translation>
    </message>
    <message>
        <source>Arguments of {tool}, as JSON</source>
        <translation>{tool} 的参数（JSON）</translation>
    </message>
    <message>
        <source>As above</source>
        <translation>同上</translation>
    </message>
    <message>
        <source>As in the settings</source>
        <translation>与设置相同</translation>
    </message>
    <message>
        <source>As one ZIP file</source>
        <translation>打包成一个 ZIP 文件</translation>
    </message>
    <message>
        <source>AsciiDoc</source>
        <translation>AsciiDoc</translation>
    </message>
    <message>
        <source>Ask</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Ask a question of every passage</source>
        <translation>对每个段落提出一个问题</translation>
    </message>
    <message>
        <source>Ask about your documents</source>
        <translation>就你的文档提问</translation>
    </message>
    <message>
        <source>Ask again</source>
        <translation>重新提问</translation>
    </message>
    <message>
        <source>Ask again in {0} seconds.</source>
        <translation>请在 {0} 秒后重新提问。</translation>
    </message>
    <message>
        <source>Ask every passage… for example: Does it name a notice period of more than 30 days?</source>
        <translation>向每个段落提问…例如：是否规定了超过 30 天的通知期？</translation>
    </message>
    <message>
        <source>Ask in the words of the document.</source>
        <translation>请用文档里的词来提问。</translation>
    </message>
    <message>
        <source>Ask this</source>
        <translation>就这样提问</translation>
    </message>
    <message>
        <source>Ask {name}</source>
        <translation>向 {name} 提问</translation>
    </message>
    <message>
        <source>The user edited the plan.</source>
        <translation>用户修改了计划。</translation>
    </message>
    <message>
        <source>The user chose to answer without the plan.</source>
        <translation>用户选择不按计划，直接回答。</translation>
    </message>
    <message>
        <source>The user approved the plan.</source>
        <translation>用户批准了计划。</translation>
    </message>
    <message>
        <source>The user approved this tool call with changed arguments.</source>
        <translation>用户修改参数后批准了此次工具调用。</translation>
    </message>
    <message>
        <source>The user approved this tool call.</source>
        <translation>用户批准了此次工具调用。</translation>
    </message>
    <message>
        <source>The user denied this tool call.</source>
        <translation>用户拒绝了此次工具调用。</translation>
    </message>
    <message>
        <source>Asked of every passage: {question}</source>
        <translation>对每个段落的提问：{question}</translation>
    </message>
    <message>
        <source>Asking the server…</source>
        <translation>正在询问服务器…</translation>
    </message>
    <message>
        <source>Author</source>
        <translation>作者</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Back to the answer</source>
        <translation>返回回答</translation>
    </message>
    <message>
        <source>Back up now</source>
        <translation>立即备份</translation>
    </message>
    <message>
        <source>Backing up the database</source>
        <translation>正在备份数据库</translation>
    </message>
    <message>
        <source>Backups</source>
        <translation>备份</translation>
    </message>
    <message>
        <source>Backups of the database</source>
        <translation>数据库的备份</translation>
    </message>
    <message>
        <source>Previously: {name}; its vectors are kept.</source>
        <translation>此前是 {name}，其向量仍保留。</translation>
    </message>
    <message>
        <source>Better</source>
        <translation>变好</translation>
    </message>
    <message>
        <source>Bin</source>
        <translation>回收站</translation>
    </message>
    <message>
        <source>Bin…</source>
        <translation>回收站…</translation>
    </message>
    <message>
        <source>Both</source>
        <translation>两者</translation>
    </message>
    <message>
        <source>Built-in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Bundle</source>
        <translation>归档包</translation>
    </message>
    <message>
        <source>By meaning</source>
        <translation>按语义</translation>
    </message>
    <message>
        <source>By words</source>
        <translation>按词语</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Calculator</source>
        <translation>计算器</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancel drawing the map</source>
        <translation>取消绘制地图</translation>
    </message>
    <message>
        <source>Change the permissions of the file, or copy the library folder to a place that you may write to.</source>
        <translation>更改该文件的权限，或把文档库文件夹复制到可以写入的位置。</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Check document</source>
        <translation>检查文档</translation>
    </message>
    <message>
        <source>Check documents…</source>
        <translation>检查文档…</translation>
    </message>
    <message>
        <source>Check its name and the network; or download it elsewhere, and give its folder.</source>
        <translation>请检查名称和网络；也可以在别处下载后填写它的文件夹。</translation>
    </message>
    <message>
        <source>Check now</source>
        <translation>立即检查</translation>
    </message>
    <message>
        <source>Check the folder or hub name.</source>
        <translation>请检查文件夹或 Hub 名称。</translation>
    </message>
    <message>
        <source>Check the library: “workbench check”; nothing was changed.</source>
        <translation>请检查文档库：“workbench check”；没有更改任何内容。</translation>
    </message>
    <message>
        <source>Check the library…</source>
        <translation>检查文档库…</translation>
    </message>
    <message>
        <source>Check the spelling of the address.</source>
        <translation>请检查地址的拼写。</translation>
    </message>
    <message>
        <source>Checked against the sources: {summary}</source>
        <translation>已对照来源核对：{summary}</translation>
    </message>
    <message>
        <source>Checking the documents…</source>
        <translation>正在检查文档…</translation>
    </message>
    <message>
        <source>Checking “{0}”</source>
        <translation>正在检查“{0}”</translation>
    </message>
    <message>
        <source>Checking “{name}”…</source>
        <translation>正在检查“{name}”…</translation>
    </message>
    <message>
        <source>Choose Try again, or add it again.</source>
        <translation>请选择“重试”，或重新添加。</translation>
    </message>
    <message>
        <source>Choose a folder on a disk of this computer.</source>
        <translation>请选择本机磁盘上的文件夹。</translation>
    </message>
    <message>
        <source>Choose a smaller one.</source>
        <translation>请选择小一些的。</translation>
    </message>
    <message>
        <source>Choose an SQLite database</source>
        <translation>选择 SQLite 数据库</translation>
    </message>
    <message>
        <source>Choose another folder…</source>
        <translation>选择其他文件夹…</translation>
    </message>
    <message>
        <source>Choose another one: “workbench backup list”.</source>
        <translation>请选择另一个：“workbench backup list”。</translation>
    </message>
    <message>
        <source>Choose file…</source>
        <translation>选择文件…</translation>
    </message>
    <message>
        <source>Choose jsonl or csv.</source>
        <translation>请选择 jsonl 或 csv。</translation>
    </message>
    <message>
        <source>Choose “Enter password…” in its menu, or type “workbench unlock”.</source>
        <translation>请在它的菜单中选择“输入密码…”，或输入“workbench unlock”。</translation>
    </message>
    <message>
        <source>Choose “Fetch again”.</source>
        <translation>请选择“重新获取”。</translation>
    </message>
    <message>
        <source>Chosen documents</source>
        <translation>所选文档</translation>
    </message>
    <message>
        <source>Chosen passage</source>
        <translation>所选段落</translation>
    </message>
    <message>
        <source>Chosen request</source>
        <translation>所选请求</translation>
    </message>
    <message>
        <source>Chosen session</source>
        <translation>所选会话</translation>
    </message>
    <message>
        <source>Passage</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Cited in {n:,} answer</source>
        <comment>Cited in {n:,} answers</comment>
        <translation>被 {n:,} 个回答引用</translation>
    </message>
    <message>
        <source>Cited pages</source>
        <translation>引用的页面</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空记录</translation>
    </message>
    <message>
        <source>Clear the list…</source>
        <translation>清空记录…</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close the bar</source>
        <translation>关闭查找栏</translation>
    </message>
    <message>
        <source>Close the find bar (Esc)</source>
        <translation>关闭查找栏 (Esc)</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Command or address of a new tool server</source>
        <translation>新工具服务器的命令或地址</translation>
    </message>
    <message>
        <source>Command palette</source>
        <translation>命令面板</translation>
    </message>
    <message>
        <source>Command, or address (https://…/mcp)</source>
        <translation>命令或地址（https://…/mcp）</translation>
    </message>
    <message>
        <source>Commands and documents…</source>
        <translation>命令和文档…</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare with B</source>
        <translation>与 B 比较</translation>
    </message>
    <message>
        <source>Compare with the one shown</source>
        <translation>与显示的比较</translation>
    </message>
    <message>
        <source>Conclusion</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Confidence</source>
        <translation>置信度</translation>
    </message>
    <message>
        <source>Confidence: {confidence:.0%}.</source>
        <translation>置信度：{confidence:.0%}。</translation>
    </message>
    <message>
        <source>Configurations</source>
        <translation>配置</translation>
    </message>
    <message>
        <source>Connection test</source>
        <translation>连接测试</translation>
    </message>
    <message>
        <source>Content</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>Context</source>
        <translation>背景</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Conversation</source>
        <translation>对话</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>Copied {n:,} document to “{base}”</source>
        <translation>已将 {n:,} 个文档复制到“{base}”</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy details</source>
        <translation>复制详细信息</translation>
    </message>
    <message>
        <source>Copy passage with its source</source>
        <translation>复制段落及来源</translation>
    </message>
    <message>
        <source>Copy reason</source>
        <translation>复制原因</translation>
    </message>
    <message>
        <source>Copy the address</source>
        <translation>复制地址</translation>
    </message>
    <message>
        <source>Copy the answer</source>
        <translation>复制回答</translation>
    </message>
    <message>
        <source>Copy the answer with its sources as footnotes</source>
        <translation>复制回答，来源作为脚注</translation>
    </message>
    <message>
        <source>Copy this code</source>
        <translation>复制这段代码</translation>
    </message>
    <message>
        <source>Copy this part</source>
        <translation>复制此部分</translation>
    </message>
    <message>
        <source>Copy this step</source>
        <translation>复制此步骤</translation>
    </message>
    <message>
        <source>Copy the details</source>
        <translation>复制这条记录</translation>
    </message>
    <message>
        <source>Cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>Cost: about {cost:,.2f}, by your price</source>
        <translation>费用：约 {cost:,.2f}，按你填的价格</translation>
    </message>
    <message>
        <source>Coverage</source>
        <translation>覆盖范围</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>创建日期</translation>
    </message>
    <message>
        <source>Ctrl+K finds any command by its name.</source>
        <translation>按 Ctrl+K 可按名称查找任何命令。</translation>
    </message>
    <message>
        <source>Cut by you</source>
        <translation>由你划分</translation>
    </message>
    <message>
        <source>Split documents again</source>
        <translation>重新切分文档</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>Database query</source>
        <translation>数据库查询</translation>
    </message>
    <message>
        <source>Date added</source>
        <translation>添加时间</translation>
    </message>
    <message>
        <source>Date and time</source>
        <translation>日期和时间</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete backup</source>
        <translation>删除备份</translation>
    </message>
    <message>
        <source>Delete some of them.</source>
        <translation>请删除其中一些。</translation>
    </message>
    <message>
        <source>Delete the backup of {time}?</source>
        <translation>删除 {time} 的备份？</translation>
    </message>
    <message>
        <source>Delete…</source>
        <translation>删除…</translation>
    </message>
    <message>
        <source>Denied by you.</source>
        <translation>已被你拒绝。</translation>
    </message>
    <message>
        <source>Deny</source>
        <translation>拒绝</translation>
    </message>
    <message>
        <source>Description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>Details of the passage</source>
        <translation>段落详情</translation>
    </message>
    <message>
        <source>Details of {name}</source>
        <translation>{name} 的详细信息</translation>
    </message>
    <message>
        <source>Details…</source>
        <translation>详细信息…</translation>
    </message>
    <message>
        <source>Dialogs</source>
        <translation>对话框</translation>
    </message>
    <message>
        <source>Did you mean “{0}”?</source>
        <translation>是不是想写“{0}”？</translation>
    </message>
    <message>
        <source>Disable</source>
        <translation>停用</translation>
    </message>
    <message>
        <source>Disabled</source>
        <translation>已停用</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Diversity</source>
        <translation>多样性</translation>
    </message>
    <message>
        <source>Divide it into several files.</source>
        <translation>请拆分成几个文件。</translation>
    </message>
    <message>
        <source>Divide the file.</source>
        <translation>请拆分该文件。</translation>
    </message>
    <message>
        <source>DjVu scans</source>
        <translation>DjVu 扫描件</translation>
    </message>
    <message>
        <source>Do not open it in another program unless you trust where it comes from.</source>
        <translation>除非来源可信，否则不要用其他程序打开它。</translation>
    </message>
    <message>
        <source>Document</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Document check</source>
        <translation>文档检查</translation>
    </message>
    <message>
        <source>Documents</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>Documents and regions of the map</source>
        <translation>地图的文档和区域</translation>
    </message>
    <message>
        <source>Documents and tags to mention</source>
        <translation>可提及的文档和标签</translation>
    </message>
    <message>
        <source>Documents and their texts</source>
        <translation>文档及其文本</translation>
    </message>
    <message>
        <source>Documents are data</source>
        <translation>文档是数据</translation>
    </message>
    <message>
        <source>Documents cited</source>
        <translation>引用的文档</translation>
    </message>
    <message>
        <source>Documents on the map</source>
        <translation>地图上的文档</translation>
    </message>
    <message>
        <source>Documents that cannot be found by their names: {0}.</source>
        <translation>无法按名称找到的文档：{0}。</translation>
    </message>
    <message>
        <source>Documents to look at</source>
        <translation>需要查看的文档</translation>
    </message>
    <message>
        <source>Does the search find the right passages?</source>
        <translation>搜索找到了正确的段落吗？</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Download of a model</source>
        <translation>下载模型</translation>
    </message>
    <message>
        <source>Draw the map</source>
        <translation>绘制地图</translation>
    </message>
    <message>
        <source>Drawing cited page {0} of {1}</source>
        <translation>正在绘制引用的页：第 {0} 页，共 {1} 页</translation>
    </message>
    <message>
        <source>Drawing the map…</source>
        <translation>正在绘制地图…</translation>
    </message>
    <message>
        <source>Drawing the page…</source>
        <translation>正在绘制页面…</translation>
    </message>
    <message>
        <source>Drop documents here</source>
        <translation>将文档拖放到这里</translation>
    </message>
    <message>
        <source>Drop to add to your library</source>
        <translation>松开即可添加到文档库</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>复制一份</translation>
    </message>
    <message>
        <source>EPUB</source>
        <translation>EPUB</translation>
    </message>
    <message>
        <source>Each is kept whole.</source>
        <translation>每个表格都完整保留。</translation>
    </message>
    <message>
        <source>Earlier answer</source>
        <translation>先前的回答</translation>
    </message>
    <message>
        <source>Earlier question</source>
        <translation>先前的问题</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Edit agents…</source>
        <translation>编辑智能体…</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>编辑笔记</translation>
    </message>
    <message>
        <source>Edit note…</source>
        <translation>编辑笔记…</translation>
    </message>
    <message>
        <source>Edit the text</source>
        <translation>编辑文字</translation>
    </message>
    <message>
        <source>Edited by you</source>
        <translation>由你修改</translation>
    </message>
    <message>
        <source>Edits</source>
        <translation>修改记录</translation>
    </message>
    <message>
        <source>Edits of passages</source>
        <translation>段落的修改</translation>
    </message>
    <message>
        <source>Edits of “{name}”</source>
        <translation>“{name}”的修改记录</translation>
    </message>
    <message>
        <source>Embed now</source>
        <translation>立即嵌入</translation>
    </message>
    <message>
        <source>Embedding model in use</source>
        <translation>正在使用的嵌入模型</translation>
    </message>
    <message>
        <source>Embedding {n:,} of {total:,}</source>
        <translation>正在嵌入 {n:,}/{total:,}</translation>
    </message>
    <message>
        <source>Enable</source>
        <comment>a passage</comment>
        <translation>启用</translation>
    </message>
    <message>
        <source>Enable it in the passage&apos;s menu, or with “workbench chunk enable”.</source>
        <translation>请在段落的菜单中启用它，或使用“workbench chunk enable”。</translation>
    </message>
    <message>
        <source>Enabled</source>
        <translation>已启用</translation>
    </message>
    <message>
        <source>End of the answer.</source>
        <translation>回答完毕。</translation>
    </message>
    <message>
        <source>End of the answer. {n:,} source.</source>
        <comment>End of the answer. {n:,} sources.</comment>
        <translation>回答完毕。{n:,} 个来源。</translation>
    </message>
    <message>
        <source>End the replay</source>
        <translation>结束回放</translation>
    </message>
    <message>
        <source>Enter it like http://localhost:11434/v1 or https://api.example.com/v1.</source>
        <translation>请按 http://localhost:11434/v1 或 https://api.example.com/v1 的格式输入。</translation>
    </message>
    <message>
        <source>Enter password…</source>
        <translation>输入密码…</translation>
    </message>
    <message>
        <source>Error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>Estimate</source>
        <comment>verb</comment>
        <translation>估算</translation>
    </message>
    <message>
        <source>Evaluation</source>
        <translation>评测</translation>
    </message>
    <message>
        <source>Evaluations</source>
        <translation>评测</translation>
    </message>
    <message>
        <source>Every question found a right passage.</source>
        <translation>每个问题都找到了正确段落。</translation>
    </message>
    <message>
        <source>Everything that can be read goes into a new database; the damaged one is kept beside it.</source>
        <translation>能读出的内容会全部放进新的数据库；损坏的那个保留在旁边。</translation>
    </message>
    <message>
        <source>Everything that was recorded, for programs.</source>
        <translation>全部记录，供程序读取。</translation>
    </message>
    <message>
        <source>Everything was read, but the conclusion could not be written. {0}</source>
        <translation>已全部读完，但无法写出结论。{0}</translation>
    </message>
    <message>
        <source>Evidence</source>
        <translation>依据</translation>
    </message>
    <message>
        <source>Expected output</source>
        <translation>期望的输出</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export as Markdown…</source>
        <translation>导出为 Markdown…</translation>
    </message>
    <message>
        <source>Export as a table (CSV)…</source>
        <translation>导出为表格 (CSV)…</translation>
    </message>
    <message>
        <source>Export golden questions</source>
        <translation>导出评测问题</translation>
    </message>
    <message>
        <source>Export or clear the list</source>
        <translation>导出或清空记录</translation>
    </message>
    <message>
        <source>Export or remove these questions</source>
        <translation>导出或移除这些问题</translation>
    </message>
    <message>
        <source>Export this reading</source>
        <translation>导出这次通读</translation>
    </message>
    <message>
        <source>Exported to {path}</source>
        <translation>已导出到 {path}</translation>
    </message>
    <message>
        <source>Exported {when} by Knowledge Workbench {version} from the library {library}.</source>
        <translation>{when} 由 Knowledge Workbench {version} 从文档库 {library} 导出。</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Facts</source>
        <translation>事实</translation>
    </message>
    <message>
        <source>Failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Failed: {error} {hint}</source>
        <translation>失败：{error}{hint}</translation>
    </message>
    <message>
        <source>Fair match</source>
        <translation>一般匹配</translation>
    </message>
    <message>
        <source>Zoom out of the map</source>
        <translation>缩小地图</translation>
    </message>
    <message>
        <source>Fetch again</source>
        <translation>重新获取</translation>
    </message>
    <message>
        <source>FictionBook</source>
        <translation>FictionBook</translation>
    </message>
    <message>
        <source>Figures</source>
        <translation>指标</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Files ending in “{0}” cannot be read.</source>
        <translation>无法读取以“{0}”结尾的文件。</translation>
    </message>
    <message>
        <source>Files of documents that the database does not know: {0}, such as {1}.</source>
        <translation>数据库中没有相应文档的文件：{0} 个，例如 {1}。</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Filter the question</source>
        <translation>筛选提问范围</translation>
    </message>
    <message>
        <source>Find a command, document, session, setting or agent</source>
        <translation>查找命令、文档、会话、设置或智能体</translation>
    </message>
    <message>
        <source>Find a document</source>
        <translation>查找文档</translation>
    </message>
    <message>
        <source>Find bar</source>
        <translation>查找栏</translation>
    </message>
    <message>
        <source>Find in document</source>
        <translation>文档内查找</translation>
    </message>
    <message>
        <source>Find in the conversation or document</source>
        <translation>在会话或文档中查找</translation>
    </message>
    <message>
        <source>Find in {where}</source>
        <translation>在{where}中查找</translation>
    </message>
    <message>
        <source>Find tables on {pages}</source>
        <translation>在 {pages}中查找表格</translation>
    </message>
    <message>
        <source>Finds every occurrence of words in a document, and counts them.</source>
        <translation>找出词语在文档中出现的所有位置并计数。</translation>
    </message>
    <message>
        <source>Finish</source>
        <translation>收尾</translation>
    </message>
    <message>
        <source>First turn</source>
        <translation>第一轮</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适合宽度</translation>
    </message>
    <message>
        <source>Fit the page to the width</source>
        <translation>适合宽度</translation>
    </message>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>Folder for the files</source>
        <translation>存放文件的文件夹</translation>
    </message>
    <message>
        <source>Folder {name}, {documents}, closed</source>
        <translation>文件夹 {name}，{documents}，已折叠</translation>
    </message>
    <message>
        <source>Folder {name}, {documents}, open</source>
        <translation>文件夹 {name}，{documents}，已展开</translation>
    </message>
    <message>
        <source>For another Knowledge Workbench, with the cited pages.</source>
        <translation>供另一个 Knowledge Workbench 导入，含引用的页面。</translation>
    </message>
    <message>
        <source>Forbid</source>
        <translation>禁止</translation>
    </message>
    <message>
        <source>Format</source>
        <translation>格式</translation>
    </message>
    <message>
        <source>Formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>Found</source>
        <translation>找到的内容</translation>
    </message>
    <message>
        <source>Found in 1 of 1 document: the quotes are in the table.</source>
        <translation>1 个文档中有 1 个含有相关内容：引文见表格。</translation>
    </message>
    <message>
        <source>Found in none of 1 document.</source>
        <translation>1 个文档中没有找到相关内容。</translation>
    </message>
    <message>
        <source>Free some space and try again; nothing was changed.</source>
        <translation>请腾出一些空间再试；没有更改任何内容。</translation>
    </message>
    <message>
        <source>From</source>
        <comment>where it comes from</comment>
        <translation>来自</translation>
    </message>
    <message>
        <source>From {origin}</source>
        <translation>来自 {origin}</translation>
    </message>
    <message>
        <source>Garbled text on {0}</source>
        <translation>{0}的文字有乱码</translation>
    </message>
    <message>
        <source>Give a dict like {&quot;format&quot;: &quot;pdf&quot;} or a list of {&quot;op&quot;: &quot;GTE&quot;, &quot;key&quot;: &quot;created&quot;, &quot;value&quot;: &quot;2020&quot;}.</source>
        <translation>请给出 {&quot;format&quot;: &quot;pdf&quot;} 这样的字典，或 {&quot;op&quot;: &quot;GTE&quot;, &quot;key&quot;: &quot;created&quot;, &quot;value&quot;: &quot;2020&quot;} 的列表。</translation>
    </message>
    <message>
        <source>Give a file of JSON lines, for example: {“question”: “...”, “document”: “report.pdf”, “page”: 3}</source>
        <translation>请提供 JSON Lines 文件，例如：{“question”: “...”, “document”: “report.pdf”, “page”: 3}</translation>
    </message>
    <message>
        <source>Give a number.</source>
        <translation>请输入一个数。</translation>
    </message>
    <message>
        <source>Give a whole number.</source>
        <translation>请输入一个整数。</translation>
    </message>
    <message>
        <source>Give it like “example.org” or “example.org:8443”.</source>
        <translation>请按“example.org”或“example.org:8443”的形式填写。</translation>
    </message>
    <message>
        <source>Give it like “organisation/model”.</source>
        <translation>请按“组织/模型”的形式填写。</translation>
    </message>
    <message>
        <source>Enter its password so that it can be read.</source>
        <translation>输入密码后即可读取。</translation>
    </message>
    <message>
        <source>Give the folder of a model.</source>
        <translation>请填写模型的文件夹。</translation>
    </message>
    <message>
        <source>Give the server&apos;s own address.</source>
        <translation>请填写服务器自己的地址。</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Go to the evaluation</source>
        <translation>转到评测</translation>
    </message>
    <message>
        <source>Go to the inspector</source>
        <translation>转到检查器</translation>
    </message>
    <message>
        <source>Go to the library</source>
        <translation>转到文档库</translation>
    </message>
    <message>
        <source>Go to the map</source>
        <translation>转到地图</translation>
    </message>
    <message>
        <source>Go to the network</source>
        <translation>转到网络</translation>
    </message>
    <message>
        <source>Go to the question</source>
        <translation>转到提问</translation>
    </message>
    <message>
        <source>Go to the sessions</source>
        <translation>转到会话</translation>
    </message>
    <message>
        <source>Switching to {name}</source>
        <translation>正在换用 {name}</translation>
    </message>
    <message>
        <source>Golden questions</source>
        <translation>评测问题</translation>
    </message>
    <message>
        <source>Golden questions (*.jsonl);;All files (*)</source>
        <translation>评测问题 (*.jsonl);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Group by folder</source>
        <translation>按文件夹分组</translation>
    </message>
    <message>
        <source>HH:mm</source>
        <translation>HH:mm</translation>
    </message>
    <message>
        <source>HH:mm:ss</source>
        <translation>HH:mm:ss</translation>
    </message>
    <message>
        <source>Pass it an environment variable instead.</source>
        <translation>请改为向它传递环境变量。</translation>
    </message>
    <message>
        <source>Pass it the variable instead: workbench mcp-servers add --env.</source>
        <translation>请改为向它传递该变量：workbench mcp-servers add --env。</translation>
    </message>
    <message>
        <source>Passes the arguments to {0}, which may do anything with them.</source>
        <translation>将参数交给 {0}，由其任意处理。</translation>
    </message>
    <message>
        <source>Read the document again.</source>
        <translation>请重新读取该文档。</translation>
    </message>
    <message>
        <source>Heading</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Hide the details of “{title}”</source>
        <translation>收起“{title}”的详情</translation>
    </message>
    <message>
        <source>Hide {name}</source>
        <translation>隐藏{name}</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Hit@{k}</source>
        <translation>命中率@{k}</translation>
    </message>
    <message>
        <source>Hits</source>
        <translation>命中</translation>
    </message>
    <message>
        <source>How much was read</source>
        <translation>已读多少</translation>
    </message>
    <message>
        <source>How the answers were made</source>
        <translation>回答的生成过程</translation>
    </message>
    <message>
        <source>Id</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>If it is made of pictures, save it as a PDF and add that.</source>
        <translation>如果它由图片组成，请另存为 PDF 再添加。</translation>
    </message>
    <message>
        <source>If the text looks wrong, save the file as UTF-8 and add it again.</source>
        <translation>如果文字不对，请把文件存为 UTF-8 后重新添加。</translation>
    </message>
    <message>
        <source>If they are pictures, save them as a PDF and add that.</source>
        <translation>如果是图片，请另存为 PDF 再添加。</translation>
    </message>
    <message>
        <source>Import progress</source>
        <translation>导入进度</translation>
    </message>
    <message>
        <source>Import session</source>
        <translation>导入会话</translation>
    </message>
    <message>
        <source>Import session…</source>
        <translation>导入会话…</translation>
    </message>
    <message>
        <source>Imported “{title}”.</source>
        <translation>已导入“{title}”。</translation>
    </message>
    <message>
        <source>In use for {where}</source>
        <translation>{where}正在使用</translation>
    </message>
    <message>
        <source>Indexing</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Install Tesseract with its language data, or choose RapidOCR in the settings.</source>
        <translation>请安装 Tesseract 及其语言数据，或在设置中选择 RapidOCR。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>It adds a note that the model wrote to your knowledge base “{0}”.</source>
        <translation>它会把模型写的笔记加入知识库“{0}”。</translation>
    </message>
    <message>
        <source>It belongs to the linked folder “{0}”: copy it, or unlink the folder first.</source>
        <translation>它属于关联文件夹“{0}”：请复制它，或先取消关联。</translation>
    </message>
    <message>
        <source>It came {0} of the {1} given: {2}.</source>
        <translation>它在给出的 {1} 段中排第 {0}：{2}。</translation>
    </message>
    <message>
        <source>It came {0}, and {1}.</source>
        <translation>它排第 {0}，{1}。</translation>
    </message>
    <message>
        <source>It came {0}, and {1}: {2}.</source>
        <translation>它排第 {0}，{1}：{2}。</translation>
    </message>
    <message>
        <source>They cannot be recovered.</source>
        <translation>无法找回。</translation>
    </message>
    <message>
        <source>It cannot be reached now. Its documents stay as they are.</source>
        <translation>目前无法访问，其中的文档保持不变。</translation>
    </message>
    <message>
        <source>It cannot be read: {0}.</source>
        <translation>无法读取：{0}。</translation>
    </message>
    <message>
        <source>It makes changes.</source>
        <translation>它会作出更改。</translation>
    </message>
    <message>
        <source>It could not be fetched again, the earlier version is still searched: {0}</source>
        <translation>无法重新获取，仍可搜索较早的版本：{0}</translation>
    </message>
    <message>
        <source>It could not be loaded: {0}.</source>
        <translation>无法加载：{0}。</translation>
    </message>
    <message>
        <source>It could not be made: {0}.</source>
        <translation>它无法创建：{0}。</translation>
    </message>
    <message>
        <source>It could not be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>It could not be read again, the earlier version is still searched: {0}</source>
        <translation>无法重新读取，仍可搜索较早的版本：{0}</translation>
    </message>
    <message>
        <source>It could not start: {0}.</source>
        <translation>它无法启动：{0}。</translation>
    </message>
    <message>
        <source>It did not come from the web or a database.</source>
        <translation>它不是来自网页或数据库。</translation>
    </message>
    <message>
        <source>It does not hold text, and was left out.</source>
        <translation>其中没有文本，已略去。</translation>
    </message>
    <message>
        <source>It is reset to its default.</source>
        <translation>恢复为默认值。</translation>
    </message>
    <message>
        <source>It continues from another answer, with a tool result that the user changed.</source>
        <translation>接着另一个回答继续，其中一个工具结果由用户修改过。</translation>
    </message>
    <message>
        <source>It has no network.</source>
        <translation>它不能联网。</translation>
    </message>
    <message>
        <source>It has no parameter named “query” that can be given by its name.</source>
        <translation>它没有可以按名称传入的参数“query”。</translation>
    </message>
    <message>
        <source>It is still being prepared, so only its words could be compared.</source>
        <translation>它还在准备中，因此只能比较其中的词语。</translation>
    </message>
    <message>
        <source>It has “retrieve” but lacks {0}; all three are needed.</source>
        <translation>它有“retrieve”，但缺少 {0}；三者都需要。</translation>
    </message>
    <message>
        <source>It is a link and was not read.</source>
        <translation>它是链接，未读取。</translation>
    </message>
    <message>
        <source>It is a link, not a file.</source>
        <translation>它是链接，不是文件。</translation>
    </message>
    <message>
        <source>It is a link, or reached through one, and was not read.</source>
        <translation>它是链接或位于链接之后，未读取。</translation>
    </message>
    <message>
        <source>It is a {0}: neither a function nor an object with initialize, retrieve and close.</source>
        <translation>它是 {0}：既不是函数，也不是带有 initialize、retrieve 和 close 的对象。</translation>
    </message>
    <message>
        <source>It is already being added.</source>
        <translation>正在添加中。</translation>
    </message>
    <message>
        <source>It is copied again from where it was added from.</source>
        <translation>从添加它的位置重新复制。</translation>
    </message>
    <message>
        <source>It is drawn again; nothing is lost.</source>
        <translation>正在重新绘制；没有丢失任何内容。</translation>
    </message>
    <message>
        <source>It is in “{0}” already.</source>
        <translation>它已在“{0}”中。</translation>
    </message>
    <message>
        <source>It is locked</source>
        <translation>文档已加密</translation>
    </message>
    <message>
        <source>It is read again from the library&apos;s copy of the file.</source>
        <translation>从文档库保存的文件副本重新读取。</translation>
    </message>
    <message>
        <source>It is moved to quarantine. Its text and its answers stay; for pictures of its pages, add the file again.</source>
        <translation>它会被移到隔离区。文字和回答会保留；要看页面图像，请重新添加该文件。</translation>
    </message>
    <message>
        <source>It is outside the workspace and was not read.</source>
        <translation>它在工作区之外，未读取。</translation>
    </message>
    <message>
        <source>It offers nothing: define a function “retrieve(query, num_documents=None)”, a class with initialize, retrieve and close, or a dict RETRIEVERS of them.</source>
        <translation>它没有提供任何检索器：请定义函数“retrieve(query, num_documents=None)”、带有 initialize、retrieve 和 close 的类，或由它们组成的字典 RETRIEVERS。</translation>
    </message>
    <message>
        <source>It runs outside offline mode: its own requests can neither be seen nor blocked.</source>
        <translation>它在断网模式之外运行：它自行连接谁，既看不到，也无法拒绝。</translation>
    </message>
    <message>
        <source>It says the same as another passage, which is shown instead.</source>
        <translation>它与另一个段落内容相同，只显示那一个。</translation>
    </message>
    <message>
        <source>It says the same as “{0}”, which came {1}; only one of several identical texts is shown.</source>
        <translation>它与“{0}”中排第 {1} 的段落内容相同；内容相同的只显示一个。</translation>
    </message>
    <message>
        <source>It says the same as “{0}”, which was not given either; only one of several identical texts is shown.</source>
        <translation>它与“{0}”中的段落内容相同，那一段也没有给出；内容相同的只显示一个。</translation>
    </message>
    <message>
        <source>It says the same as “{0}”, {1}, which came {2}; only one of several identical texts is shown.</source>
        <translation>它与“{0}”{1}中排第 {2} 的段落内容相同；内容相同的只显示一个。</translation>
    </message>
    <message>
        <source>It says the same as “{0}”, {1}, which was not given either; only one of several identical texts is shown.</source>
        <translation>它与“{0}”{1}中的段落内容相同，那一段也没有给出；内容相同的只显示一个。</translation>
    </message>
    <message>
        <source>It sends data over the network.</source>
        <translation>它会通过网络发送数据。</translation>
    </message>
    <message>
        <source>It is too far down in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}.</source>
        <translation>它在各列表中太靠后，没有参与比较（每个列表只比较前 {0} 个）；否则会排第 {1}，{2}。</translation>
    </message>
    <message>
        <source>It is too far down in the lists to be compared (the first {0} of each are); it would have come {1}, and {2}: {3}.</source>
        <translation>它在各列表中太靠后，没有参与比较（每个列表只比较前 {0} 个）；否则会排第 {1}，{2}：{3}。</translation>
    </message>
    <message>
        <source>It used its whole length for reasoning: raise the model&apos;s limit, or ask a narrower question.</source>
        <translation>它把全部长度都用在了推理上：请提高模型的上限，或缩小问题范围。</translation>
    </message>
    <message>
        <source>It was excluded from the start: the search was limited to {0}.</source>
        <translation>它一开始就被排除了：搜索范围限于{0}。</translation>
    </message>
    <message>
        <source>It was not compared, and {0}.</source>
        <translation>它没有参与比较，{0}。</translation>
    </message>
    <message>
        <source>It was not compared, and {0}: {1}.</source>
        <translation>它没有参与比较，{0}：{1}。</translation>
    </message>
    <message>
        <source>It was removed meanwhile.</source>
        <translation>在此期间已被移除。</translation>
    </message>
    <message>
        <source>It was removed while it was added.</source>
        <translation>在添加过程中被移除。</translation>
    </message>
    <message>
        <source>It was stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>It wrote only blank lines until it reached its maximum length: ask again, or use another model.</source>
        <translation>在达到最大长度之前，它只写了空行：请重新提问，或改用其他模型。</translation>
    </message>
    <message>
        <source>Its YAML cannot be read (line {0}).</source>
        <translation>无法读取其 YAML（第 {0} 行）。</translation>
    </message>
    <message>
        <source>Its YAML is a {0} where keys and values are expected.</source>
        <translation>其 YAML 为 {0}，应为键和值。</translation>
    </message>
    <message>
        <source>Its file was deleted {ago}</source>
        <translation>其文件已于{ago}删除</translation>
    </message>
    <message>
        <source>Its filter cannot be read: {0}</source>
        <translation>无法读取它的筛选：{0}</translation>
    </message>
    <message>
        <source>Its format has no {0}: quote some of its words instead.</source>
        <translation>这种格式不分{0}：请改用其中的文字。</translation>
    </message>
    <message>
        <source>It cites a source that does not exist.</source>
        <translation>它引用了不存在的来源。</translation>
    </message>
    <message>
        <source>Its parameters cannot be seen, so it cannot be called.</source>
        <translation>看不到它的参数，无法得知如何调用。</translation>
    </message>
    <message>
        <source>Its reading was stopped; the pages that were read are searched.</source>
        <translation>读取已停止；已读取的页面可以搜索。</translation>
    </message>
    <message>
        <source>Its text and its answers stay; for pictures of its pages, add the file again.</source>
        <translation>文字和回答会保留；要看页面图像，请重新添加该文件。</translation>
    </message>
    <message>
        <source>Its text is still there.</source>
        <translation>文字仍可查看。</translation>
    </message>
    <message>
        <source>Its tools may use the network.</source>
        <translation>它的工具可能使用网络。</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Jina and others</source>
        <translation>Jina 等</translation>
    </message>
    <message>
        <source>Assess the results</source>
        <translation>评估搜索结果</translation>
    </message>
    <message>
        <source>Jupyter notebooks</source>
        <translation>Jupyter 笔记本</translation>
    </message>
    <message>
        <source>Keep it, delete the old vectors</source>
        <translation>确定使用，删除旧向量</translation>
    </message>
    <message>
        <source>Keep word vectors</source>
        <translation>保留词向量</translation>
    </message>
    <message>
        <source>Kept in the system&apos;s keyring, for this server only.</source>
        <translation>已保存在系统密钥环中，仅用于此服务器。</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>密钥</translation>
    </message>
    <message>
        <source>Keyboard shortcuts</source>
        <translation>键盘快捷键</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>Keyword</source>
        <translation>关键词</translation>
    </message>
    <message>
        <source>Keywords</source>
        <translation>关键词</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Knowledge</source>
        <translation>知识</translation>
    </message>
    <message>
        <source>Knowledge base</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Knowledge bases</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Larger page</source>
        <translation>放大页面</translation>
    </message>
    <message>
        <source>Larger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Last round</source>
        <translation>最后一轮</translation>
    </message>
    <message>
        <source>Arranging similar passages</source>
        <translation>正在排列相近的段落</translation>
    </message>
    <message>
        <source>Left out when it was read</source>
        <translation>读取时略去</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Lengths of the passages</source>
        <translation>段落长度</translation>
    </message>
    <message>
        <source>Lets the model add notes to the library. You are asked before each, unless you say otherwise.</source>
        <translation>允许模型向文档库添加笔记。除非另行设定，每次都会先询问你。</translation>
    </message>
    <message>
        <source>Lets the model judge what it has found so far.</source>
        <translation>允许模型评判目前找到的内容。</translation>
    </message>
    <message>
        <source>Lets the model read a page of the web.</source>
        <translation>允许模型阅读网页。</translation>
    </message>
    <message>
        <source>Lets the model read pages or a section of a document; what it read can be cited.</source>
        <translation>允许模型阅读文档的若干页或一节，读过的内容可以引用。</translation>
    </message>
    <message>
        <source>Lets the model search the web with your server.</source>
        <translation>允许模型用你的服务器搜索网络。</translation>
    </message>
    <message>
        <source>Lets the model write down a plan, which is shown as a step.</source>
        <translation>允许模型写下计划，并显示为一个步骤。</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>文档库</translation>
    </message>
    <message>
        <source>Library check</source>
        <translation>文档库检查</translation>
    </message>
    <message>
        <source>Library: {folder}</source>
        <translation>文档库：{folder}</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Limits</source>
        <translation>限制</translation>
    </message>
    <message>
        <source>Link a folder</source>
        <translation>关联文件夹</translation>
    </message>
    <message>
        <source>Link a folder…</source>
        <translation>关联文件夹…</translation>
    </message>
    <message>
        <source>Linked folders</source>
        <translation>关联文件夹</translation>
    </message>
    <message>
        <source>Linked folders…</source>
        <translation>关联文件夹列表…</translation>
    </message>
    <message>
        <source>List documents</source>
        <translation>列出文档</translation>
    </message>
    <message>
        <source>Little of it appears in any passage found.</source>
        <translation>找到的段落里几乎没有这句话的内容。</translation>
    </message>
    <message>
        <source>Little of it appears in the cited passage.</source>
        <translation>引用的段落里几乎没有这句话的内容。</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Local model: nothing leaves this computer</source>
        <translation>本地模型：数据不会离开本机</translation>
    </message>
    <message>
        <source>Local model; tools may send more</source>
        <translation>本地模型；工具可能发送数据</translation>
    </message>
    <message>
        <source>Locked documents</source>
        <translation>加密的文档</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新查看</translation>
    </message>
    <message>
        <source>Look at it as it is now, and try again.</source>
        <translation>请查看它现在的样子，然后重试。</translation>
    </message>
    <message>
        <source>Look at “Document check”: it shows what was lost when the document was read.</source>
        <translation>请查看“文档检查”：其中说明读取时丢失了什么。</translation>
    </message>
    <message>
        <source>Look for it elsewhere.</source>
        <translation>请到别处查找。</translation>
    </message>
    <message>
        <source>Check your account there, or use another server.</source>
        <translation>请查看你在该处的账户，或改用其他服务器。</translation>
    </message>
    <message>
        <source>Look it up</source>
        <translation>查找文档</translation>
    </message>
    <message>
        <source>Look up “{topic}” and {n} more at {host}</source>
        <translation>在 {host} 查找“{topic}”等，另有 {n} 项</translation>
    </message>
    <message>
        <source>Look up “{topic}” and {n} more in Wikipedia ({host})</source>
        <translation>在维基百科（{host}）查找“{topic}”等，另有 {n} 项</translation>
    </message>
    <message>
        <source>Look up “{topic}” at {host}</source>
        <translation>在 {host} 查找“{topic}”</translation>
    </message>
    <message>
        <source>Look up “{topic}” in Wikipedia ({host})</source>
        <translation>在维基百科（{host}）查找“{topic}”</translation>
    </message>
    <message>
        <source>Looking for tables, page {page:,} of {pages:,}</source>
        <translation>正在查找表格，第 {page:,} 页，共 {pages:,} 页</translation>
    </message>
    <message>
        <source>Looking for tables: {n:,} of {total:,} done</source>
        <translation>正在查找表格：已完成 {n:,}/{total:,}</translation>
    </message>
    <message>
        <source>Looking…</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>Looks for damage, repairs it, and keeps backups</source>
        <translation>查找损坏、进行修复，并保留备份</translation>
    </message>
    <message>
        <source>Looks up the weather of a place at Open-Meteo.</source>
        <translation>在 Open-Meteo 查询某地的天气。</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>Making a plan…</source>
        <translation>正在制定计划…</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>地图</translation>
    </message>
    <message>
        <source>Map of the library</source>
        <translation>文档库地图</translation>
    </message>
    <message>
        <source>Mark {passage} as right</source>
        <translation>将{passage}标为正确</translation>
    </message>
    <message>
        <source>Mark {passage} as wrong</source>
        <translation>将{passage}标为错误</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Markdown (*.md)</source>
        <translation>Markdown (*.md)</translation>
    </message>
    <message>
        <source>Marked as right for “{question}”</source>
        <translation>已标为正确，问题：“{question}”</translation>
    </message>
    <message>
        <source>Marked as wrong for “{question}”</source>
        <translation>已标为错误，问题：“{question}”</translation>
    </message>
    <message>
        <source>Marked in answers</source>
        <translation>在回答中标记的</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Matched words</source>
        <translation>匹配的词</translation>
    </message>
    <message>
        <source>Meaning</source>
        <translation>语义</translation>
    </message>
    <message>
        <source>Memories</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Memory…</source>
        <translation>记忆…</translation>
    </message>
    <message>
        <source>Menu of the selection</source>
        <translation>所选内容的菜单</translation>
    </message>
    <message>
        <source>Merge with the next</source>
        <translation>与下一段合并</translation>
    </message>
    <message>
        <source>Merged</source>
        <translation>已合并</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>邮件</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>No model answers at {0} ({1}).</source>
        <translation>{0} 上没有应答的模型（{1}）。</translation>
    </message>
    <message>
        <source>No model answers at {0}.</source>
        <translation>{0} 上没有应答的模型。</translation>
    </message>
    <message>
        <source>Not found</source>
        <comment>verdict</comment>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Not read to its end</source>
        <translation>没有读到末尾</translation>
    </message>
    <message>
        <source>Not said</source>
        <translation>未提及</translation>
    </message>
    <message>
        <source>Not searched: {0}.</source>
        <translation>未搜索：{0}。</translation>
    </message>
    <message>
        <source>Not used here: {0}.</source>
        <translation>此处不使用：{0}。</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>未读完</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>笔记</translation>
    </message>
    <message>
        <source>Note</source>
        <comment>what was found, and is not grave</comment>
        <translation>提示</translation>
    </message>
    <message>
        <source>Nothing found in your library</source>
        <translation>文档库中没有找到相关内容</translation>
    </message>
    <message>
        <source>There is nothing to read at this place; the document has {0:d} characters.</source>
        <translation>此处没有可读的内容；文档共有 {0} 个字符。</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>On</source>
        <translation>开</translation>
    </message>
    <message>
        <source>Only its first {0:d} of {1:d} pages are searched: {2}</source>
        <translation>共 {1} 页，只搜索前 {0} 页：{2}</translation>
    </message>
    <message>
        <source>Only the first {0:d} of its {1:d} characters are in the prompt.</source>
        <translation>提示词中只含其 {1} 个字符中的前 {0} 个。</translation>
    </message>
    <message>
        <source>Only this host</source>
        <translation>只看这台主机</translation>
    </message>
    <message>
        <source>Open a link</source>
        <translation>打开链接</translation>
    </message>
    <message>
        <source>Open in the browser</source>
        <translation>在浏览器中打开</translation>
    </message>
    <message>
        <source>Open its session</source>
        <translation>打开所属会话</translation>
    </message>
    <message>
        <source>Open log</source>
        <translation>打开日志</translation>
    </message>
    <message>
        <source>Open this address?</source>
        <translation>打开此地址？</translation>
    </message>
    <message>
        <source>Page {0:d} holds</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Page {0:d} is</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Page {0:d} was</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Pages of documents</source>
        <translation>文档的页</translation>
    </message>
    <message>
        <source>Pages of the damaged file with unknown content: {0}.</source>
        <translation>损坏的文件中内容不明的页：{0}。</translation>
    </message>
    <message>
        <source>Pages to print and keep, with the cited pages.</source>
        <translation>便于打印和留存，含引用的页面。</translation>
    </message>
    <message>
        <source>Pages {0:d} are</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Pages {0:d} hold</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Pages {0:d} were</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>Part</source>
        <translation>部分</translation>
    </message>
    <message>
        <source>Parts</source>
        <translation>拆分问题</translation>
    </message>
    <message>
        <source>Parts of the evaluation</source>
        <translation>评测的各部分</translation>
    </message>
    <message>
        <source>Parts of the prompt</source>
        <translation>提示词的组成部分</translation>
    </message>
    <message>
        <source>Passages that are not in the keyword index: {0}.</source>
        <translation>不在关键词索引中的段落：{0}。</translation>
    </message>
    <message>
        <source>Passages were counted again.</source>
        <translation>已重新统计段落数。</translation>
    </message>
    <message>
        <source>Plug-in</source>
        <translation>插件</translation>
    </message>
    <message>
        <source>Preparing…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>Click to see what was sent over the network</source>
        <translation>点击查看联网记录</translation>
    </message>
    <message>
        <source>Problem report</source>
        <translation>问题报告</translation>
    </message>
    <message>
        <source>Problem report…</source>
        <translation>问题报告…</translation>
    </message>
    <message>
        <source>Progress of the check</source>
        <translation>检查进度</translation>
    </message>
    <message>
        <source>Progress of the repair</source>
        <translation>修复进度</translation>
    </message>
    <message>
        <source>Put it back, or open it where it is now: everything that was saved is in it.</source>
        <translation>请把它放回原处，或在它现在的位置打开：已保存的内容都在其中。</translation>
    </message>
    <message>
        <source>Put it into an environment variable, and ${NAME} of that variable in its place.</source>
        <translation>请把它放进环境变量，并在原处写上该变量的 ${NAME}。</translation>
    </message>
    <message>
        <source>Put it into an environment variable, and pass that to the program by its name.</source>
        <translation>请把它放进环境变量，再按变量名交给该程序。</translation>
    </message>
    <message>
        <source>Questions asked of every passage</source>
        <translation>对每个段落提出的问题</translation>
    </message>
    <message>
        <source>Read in part</source>
        <translation>只读了一部分</translation>
    </message>
    <message>
        <source>Reading files again</source>
        <translation>正在重新读取文件</translation>
    </message>
    <message>
        <source>Reading page {page:,} of {pages:,}</source>
        <translation>正在读取第 {page:,} 页，共 {pages:,} 页</translation>
    </message>
    <message>
        <source>Reading…</source>
        <translation>正在读取…</translation>
    </message>
    <message>
        <source>Reads only in the knowledge base “{name}”.</source>
        <translation>只在知识库“{name}”中通读。</translation>
    </message>
    <message>
        <source>Reasoning</source>
        <translation>推理</translation>
    </message>
    <message>
        <source>Recall@{k}</source>
        <translation>召回率@{k}</translation>
    </message>
    <message>
        <source>Received</source>
        <translation>接收</translation>
    </message>
    <message>
        <source>Record</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Refused by offline mode</source>
        <translation>断网模式拒绝</translation>
    </message>
    <message>
        <source>Repair or restore…</source>
        <translation>修复或还原…</translation>
    </message>
    <message>
        <source>Repair the library</source>
        <translation>修复文档库</translation>
    </message>
    <message>
        <source>Repair the library?</source>
        <translation>修复文档库？</translation>
    </message>
    <message>
        <source>Repairing the library…</source>
        <translation>正在修复文档库…</translation>
    </message>
    <message>
        <source>Repair…</source>
        <translation>修复…</translation>
    </message>
    <message>
        <source>Requests</source>
        <translation>请求</translation>
    </message>
    <message>
        <source>SQLite databases ({endings})</source>
        <translation>SQLite 数据库 ({endings})</translation>
    </message>
    <message>
        <source>Searched all {0:d} documents</source>
        <translation>已搜索全部 {0} 个文档</translation>
    </message>
    <message>
        <source>Searched {0:d} of 1 document</source>
        <translation>已搜索 1 个文档中的 {0} 个</translation>
    </message>
    <message>
        <source>Searched {0:d} of {1:d} documents</source>
        <translation>已搜索 {1} 个文档中的 {0} 个</translation>
    </message>
    <message>
        <source>Sheet</source>
        <translation>工作表</translation>
    </message>
    <message>
        <source>Sheet {0} is hidden; it was read too.</source>
        <translation>工作表 {0} 是隐藏的；也已读取。</translation>
    </message>
    <message>
        <source>Sheets {0} are hidden; they were read too.</source>
        <translation>工作表 {0} 是隐藏的；也已读取。</translation>
    </message>
    <message>
        <source>Show as table</source>
        <translation>以表格显示</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>Skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>Slide</source>
        <translation>幻灯片</translation>
    </message>
    <message>
        <source>Slide {0} is hidden in the presentation; it was read too.</source>
        <translation>第 {0} 张幻灯片在演示文稿中是隐藏的；也已读取。</translation>
    </message>
    <message>
        <source>Slides {0} are hidden in the presentation; they were read too.</source>
        <translation>第 {0} 张幻灯片在演示文稿中是隐藏的；也已读取。</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Steps of an answer that could not be read were moved to quarantine: {0}.</source>
        <translation>一个回答中无法读取的步骤已移到隔离区：{0}。</translation>
    </message>
    <message>
        <source>Steps of answers</source>
        <translation>回答的步骤</translation>
    </message>
    <message>
        <source>Streaming</source>
        <translation>流式输出</translation>
    </message>
    <message>
        <source>Struck through: only in the left one. Underlined: only in the right one.</source>
        <translation>删除线：仅左侧有。下划线：仅右侧有。</translation>
    </message>
    <message>
        <source>Texts of documents</source>
        <translation>文档的文本</translation>
    </message>
    <message>
        <source>Offline mode is on: this library is new to this computer, or was moved.</source>
        <translation>断网模式已开：这个文档库在本机是新的，或被移动过。</translation>
    </message>
    <message>
        <source>The answer appears only when it is complete.</source>
        <translation>回答写完后才会显示。</translation>
    </message>
    <message>
        <source>The answer appears while it is written.</source>
        <translation>回答会边写边显示。</translation>
    </message>
    <message>
        <source>The answer needs more than the {0:d} tokens that one may take.</source>
        <translation>这个回答需要的 token 超过了每个回答的上限 {0}。</translation>
    </message>
    <message>
        <source>The answer took longer than {0} and was stopped.</source>
        <translation>回答用时超过 {0}，已停止。</translation>
    </message>
    <message>
        <source>The answers differ in {n:,} place.</source>
        <comment>The answers differ in {n:,} places.</comment>
        <translation>两个回答有 {n:,} 处不同。</translation>
    </message>
    <message>
        <source>The exported model does not agree with the original (cosine {0:d}).</source>
        <translation>导出的模型与原模型不一致（余弦 {0}）。</translation>
    </message>
    <message>
        <source>The file has {0}. What was read can be searched.</source>
        <translation>该文件有{0}。已读取的部分可以搜索。</translation>
    </message>
    <message>
        <source>The file nests its parts too deep to be read.</source>
        <translation>文件的嵌套层次太深，无法读取。</translation>
    </message>
    <message>
        <source>The ledger of the network</source>
        <translation>联网记录</translation>
    </message>
    <message>
        <source>The library {0} is open in another window (process {1}).</source>
        <translation>文档库 {0} 已在另一个窗口中打开（进程 {1}）。</translation>
    </message>
    <message>
        <source>The library {0} is open in another window.</source>
        <translation>文档库 {0} 已在另一个窗口中打开。</translation>
    </message>
    <message>
        <source>The limit of {0:d} tokens is near; the model was told to answer now.</source>
        <translation>即将达到 {0} 个 token 的上限，已要求模型立即回答。</translation>
    </message>
    <message>
        <source>The list has 1 page.</source>
        <translation>列表共 1 页。</translation>
    </message>
    <message>
        <source>The list has {0} pages.</source>
        <translation>列表共 {0} 页。</translation>
    </message>
    <message>
        <source>The model used up its {0:d} tokens without coming to an answer.</source>
        <translation>模型用完了 {0} 个 token，仍没有得出答案。</translation>
    </message>
    <message>
        <source>The network requires a login ({0:d}).</source>
        <translation>网络需要登录（{0}）。</translation>
    </message>
    <message>
        <source>The next question continues from this answer; its alternatives are left out of the conversation</source>
        <translation>下一个问题从此回答继续；同一问题的其他回答不计入对话</translation>
    </message>
    <message>
        <source>The page has 1 passage.</source>
        <translation>网页有 1 个段落。</translation>
    </message>
    <message>
        <source>The page is withheld for legal reasons ({0:d}).</source>
        <translation>网页因法律原因不予显示（{0}）。</translation>
    </message>
    <message>
        <source>The page requires a login ({0:d}).</source>
        <translation>网页需要登录（{0}）。</translation>
    </message>
    <message>
        <source>The page requires a payment ({0:d}).</source>
        <translation>网页需要付费（{0}）。</translation>
    </message>
    <message>
        <source>The page was taken down ({0:d}).</source>
        <translation>网页已被撤下（{0}）。</translation>
    </message>
    <message>
        <source>The passage is in another language, which cannot be compared here.</source>
        <translation>段落是另一种语言，此处无法比较。</translation>
    </message>
    <message>
        <source>The plug-in {0} is bigger than {1:d} bytes.</source>
        <translation>插件 {0} 超过 {1} 字节。</translation>
    </message>
    <message>
        <source>The query took longer than {0}.</source>
        <translation>查询用时超过 {0}。</translation>
    </message>
    <message>
        <source>The retriever “{0}” is still starting after {1} and was left out.</source>
        <translation>检索器“{0}”在 {1}后仍未就绪，已略去。</translation>
    </message>
    <message>
        <source>The retriever “{0}” took longer than {1} and was left out.</source>
        <translation>检索器“{0}”用时超过 {1}，已略去。</translation>
    </message>
    <message>
        <source>The retrievers gave more than {0:d} characters; the rest was left out.</source>
        <translation>检索器返回的内容超过 {0} 个字符，其余已略去。</translation>
    </message>
    <message>
        <source>The server did not send the page ({0:d}).</source>
        <translation>服务器没有发送网页（{0}）。</translation>
    </message>
    <message>
        <source>The server does not report the context length; {0:d} tokens are assumed.</source>
        <translation>服务器没有报告上下文长度，按 {0} 个 token 计。</translation>
    </message>
    <message>
        <source>The server does not say which models it has.</source>
        <translation>服务器没有说明它有哪些模型。</translation>
    </message>
    <message>
        <source>The server failed ({0:d}).</source>
        <translation>服务器出错（{0}）。</translation>
    </message>
    <message>
        <source>The server has no such page ({0:d}).</source>
        <translation>服务器上没有这个网页（{0}）。</translation>
    </message>
    <message>
        <source>The server refuses to show the page to programs, or without a login ({0:d}).</source>
        <translation>服务器拒绝向程序显示该网页，或需要登录（{0}）。</translation>
    </message>
    <message>
        <source>The server refuses tools; they are called by text instead.</source>
        <translation>服务器不接受工具；改为以文本方式调用。</translation>
    </message>
    <message>
        <source>The server asks for fewer requests ({0:d}).</source>
        <translation>服务器要求降低访问频率（{0}）。</translation>
    </message>
    <message>
        <source>The system stopped reading this file: memory ran out.</source>
        <translation>系统停止了此文件的读取：内存不足。</translation>
    </message>
    <message>
        <source>The table has more than {0:d} cells; the rest was not read.</source>
        <translation>表格超过 {0} 个单元格；其余未读取。</translation>
    </message>
    <message>
        <source>The tool server “{0}” has no tool “{1}”; the answer was made without it.</source>
        <translation>工具服务器“{0}”没有工具“{1}”；回答时没有用它。</translation>
    </message>
    <message>
        <source>The tool server “{0}” is not allowed: it asks {1}.</source>
        <translation>工具服务器“{0}”未被允许：它会访问 {1}。</translation>
    </message>
    <message>
        <source>The tool server “{0}” is not allowed: it runs “{1}” on this computer.</source>
        <translation>工具服务器“{0}”未被允许：它会在本机运行“{1}”。</translation>
    </message>
    <message>
        <source>The web search failed: {0}</source>
        <translation>网络搜索失败：{0}</translation>
    </message>
    <message>
        <source>The workbook has more than {0:d} cells; the rest was not read.</source>
        <translation>工作簿超过 {0} 个单元格；其余未读取。</translation>
    </message>
    <message>
        <source>There is no answer {0} in this session.</source>
        <translation>此会话中没有回答 {0}。</translation>
    </message>
    <message>
        <source>There is no document “{0}”. Similar ones: {1}.</source>
        <translation>没有文档“{0}”。相近的有：{1}。</translation>
    </message>
    <message>
        <source>There is no document “{0}”. list_documents shows those that there are.</source>
        <translation>没有文档“{0}”。list_documents 会列出现有的文档。</translation>
    </message>
    <message>
        <source>There is no edit {0} to redo.</source>
        <translation>没有可重做的编辑 {0}。</translation>
    </message>
    <message>
        <source>There is no edit {0} to undo.</source>
        <translation>没有可撤销的编辑 {0}。</translation>
    </message>
    <message>
        <source>There is no place “{0}”. Give the name of a town, in English or its own language.</source>
        <translation>没有地点“{0}”。请用英文或当地语言给出城镇名称。</translation>
    </message>
    <message>
        <source>There is no place “{0}”. There are: {1}</source>
        <translation>没有地点“{0}”。现有：{1}</translation>
    </message>
    <message>
        <source>There is no time zone “{0}”. Give an IANA name such as Europe/Paris.</source>
        <translation>没有时区“{0}”。请给出 IANA 名称，例如 Europe/Paris。</translation>
    </message>
    <message>
        <source>There is no time zone “{0}”. Similar ones: {1}.</source>
        <translation>没有时区“{0}”。相近的有：{1}。</translation>
    </message>
    <message>
        <source>There is no {0} {1}; the document has {2:d} {3}.</source>
        <translation>没有{0} {1}；文档共有 {2} {3}。</translation>
    </message>
    <message>
        <source>There is nothing to redo in this document.</source>
        <translation>这个文档没有可重做的操作。</translation>
    </message>
    <message>
        <source>There is nothing to undo in this document.</source>
        <translation>这个文档没有可撤销的操作。</translation>
    </message>
    <message>
        <source>This kernel cannot restrict the files of a process: Landlock is absent or switched off.</source>
        <translation>此内核无法限制进程访问文件：没有 Landlock，或未启用。</translation>
    </message>
    <message>
        <source>This kernel or processor has no filter for system calls (seccomp).</source>
        <translation>此内核或处理器没有可用的系统调用过滤（seccomp）。</translation>
    </message>
    <message>
        <source>This answer and another to the same question, side by side</source>
        <translation>将此回答与同一问题的另一个回答并排显示</translation>
    </message>
    <message>
        <source>Time, p50</source>
        <translation>用时 p50</translation>
    </message>
    <message>
        <source>Time: about {time}, assumed; nothing was measured here yet</source>
        <translation>用时：约 {time}，为假设，尚无实测</translation>
    </message>
    <message>
        <source>Time: about {time}, by {pace}</source>
        <translation>用时：约 {time}，依据{pace}</translation>
    </message>
    <message>
        <source>Time: unknown until this model has answered once</source>
        <translation>用时：未知，此模型还没有回答过</translation>
    </message>
    <message>
        <source>Weight</source>
        <translation>语义权重</translation>
    </message>
    <message>
        <source>What can be added: {0}.</source>
        <translation>可以添加：{0}。</translation>
    </message>
    <message>
        <source>What passages said</source>
        <translation>段落的回答</translation>
    </message>
    <message>
        <source>What was read of documents</source>
        <translation>已读文档的情况</translation>
    </message>
    <message>
        <source>Write JSON, or YAML.</source>
        <translation>请写成 JSON 或 YAML。</translation>
    </message>
    <message>
        <source>Write for example {&quot;dept&quot;: &quot;hr&quot;}.</source>
        <translation>例如写成 {&quot;dept&quot;: &quot;hr&quot;}。</translation>
    </message>
    <message>
        <source>Write key=value, for example dept=hr.</source>
        <translation>请写成 键=值，例如 dept=hr。</translation>
    </message>
    <message>
        <source>Write “{0}”.</source>
        <translation>请写“{0}”。</translation>
    </message>
    <message>
        <source>chapters that are not text ({0})</source>
        <translation>不是文字的章节（{0}）</translation>
    </message>
    <message>
        <source>entries of the contents that lead to no text: {0}</source>
        <translation>目录中没有对应文字的条目：{0}</translation>
    </message>
    <message>
        <source>files with text outside of the reading order</source>
        <translation>不在阅读顺序中的文字文件</translation>
    </message>
    <message>
        <source>gave something of type {0}, which holds no text</source>
        <translation>给出了类型为 {0} 的结果，其中没有文字</translation>
    </message>
    <message>
        <source>heading</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>help files of Windows</source>
        <translation>Windows 帮助文件</translation>
    </message>
    <message>
        <source>hidden text</source>
        <translation>隐藏文字</translation>
    </message>
    <message>
        <source>hidden text, 1 word</source>
        <translation>隐藏文字，1 个词</translation>
    </message>
    <message>
        <source>hidden text, {0:d} words</source>
        <translation>隐藏文字，{0} 个词</translation>
    </message>
    <message>
        <source>how many pages the document has</source>
        <translation>文档的页数</translation>
    </message>
    <message>
        <source>in its title or a heading</source>
        <translation>在文档标题或小标题中</translation>
    </message>
    <message>
        <source>in the passage</source>
        <translation>在段落中</translation>
    </message>
    <message>
        <source>in “{base}”</source>
        <translation>在“{base}”中</translation>
    </message>
    <message>
        <source>included files</source>
        <translation>包含的文件</translation>
    </message>
    <message>
        <source>is not a finding of this reading</source>
        <translation>不是这次通读的发现</translation>
    </message>
    <message>
        <source>it failed.</source>
        <translation>读取失败。</translation>
    </message>
    <message>
        <source>it holds no list of results</source>
        <translation>其中没有结果列表</translation>
    </message>
    <message>
        <source>it is damaged, or far too large</source>
        <translation>它已损坏，或体积过大</translation>
    </message>
    <message>
        <source>it is encrypted for its receiver</source>
        <translation>它已加密，只有收件人能打开</translation>
    </message>
    <message>
        <source>it is stored in the format of another program</source>
        <translation>它以原程序的格式保存</translation>
    </message>
    <message>
        <source>it is not UTF-8 text</source>
        <translation>不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>it is too long</source>
        <translation>内容太长</translation>
    </message>
    <message>
        <source>it leaves out a passage</source>
        <translation>其中少了一个段落</translation>
    </message>
    <message>
        <source>it is nested too deep in other messages</source>
        <translation>它在其他邮件中嵌套太深</translation>
    </message>
    <message>
        <source>menus and footers, 1 word</source>
        <translation>菜单和页脚，1 个词</translation>
    </message>
    <message>
        <source>menus and footers, {0:d} words</source>
        <translation>菜单和页脚，{0} 个词</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚不清楚</translation>
    </message>
    <message>
        <source>the file ends before the book does</source>
        <translation>文件在图书结束之前就中断了</translation>
    </message>
    <message>
        <source>the page&apos;s menus, footers and other parts of the site, 1 word</source>
        <translation>网页的菜单、页脚和网站的其他部分，1 个词</translation>
    </message>
    <message>
        <source>the page&apos;s menus, footers and other parts of the site, {0:d} words</source>
        <translation>网页的菜单、页脚和网站的其他部分，{0} 个词</translation>
    </message>
    <message>
        <source>the book&apos;s notes on its edition, 1 word</source>
        <translation>图书的版本说明，1 个词</translation>
    </message>
    <message>
        <source>the book&apos;s notes on its edition, {0:d} words</source>
        <translation>图书的版本说明，{0} 个词</translation>
    </message>
    <message>
        <source>{0} These documents are not in the library: {1}.</source>
        <translation>{0}这些文档不在文档库中：{1}。</translation>
    </message>
    <message>
        <source>{0} Trying again in {1:d} seconds (try {2}).</source>
        <translation>{0}{1} 秒后重试（第 {2} 次）。</translation>
    </message>
    <message>
        <source>{0} and {1} more</source>
        <translation>{0} 和另外 {1} 个</translation>
    </message>
    <message>
        <source>{0} can be reached over the network.</source>
        <translation>{0} 可以通过网络连接。</translation>
    </message>
    <message>
        <source>{0} can be reached, but the key travels unencrypted: prefer https.</source>
        <translation>{0} 可以连接，但密钥未加密传输：建议用 https。</translation>
    </message>
    <message>
        <source>{0} can be reached; it runs on this computer.</source>
        <translation>{0} 可以连接；它在本机运行。</translation>
    </message>
    <message>
        <source>{0} damaged and could not be read.</source>
        <translation>{0}已损坏，无法读取。</translation>
    </message>
    <message>
        <source>{0} left out</source>
        <translation>略去{0}</translation>
    </message>
    <message>
        <source>{0}, {1} not checked</source>
        <translation>{0}，{1} 句未核对</translation>
    </message>
    <message>
        <source>{0}: changed since they were read; read again where they changed.</source>
        <translation>{0}：读取之后有更改；更改处已重新读取。</translation>
    </message>
    <message>
        <source>{0}: changed since they were read; “Continue” reads what changed.</source>
        <translation>{0}：读取之后有更改；选择“继续”即可读取更改处。</translation>
    </message>
    <message>
        <source>{0}: it is nested too deep in other messages</source>
        <translation>{0}：它在其他邮件中嵌套太深</translation>
    </message>
    <message>
        <source>{0}: it needs a password</source>
        <translation>{0}：它需要密码</translation>
    </message>
    <message>
        <source>{0}: its files from number {1} on</source>
        <translation>{0}：其中从第 {1} 个起的文件</translation>
    </message>
    <message>
        <source>{0}: new since this was begun; read in addition.</source>
        <translation>{0}：开始之后新增；已一并读取。</translation>
    </message>
    <message>
        <source>{0}: new since this was begun; “Continue” reads them.</source>
        <translation>{0}：开始之后新增；选择“继续”即可读取。</translation>
    </message>
    <message>
        <source>{0}: no longer there or no longer match; taken out of the table.</source>
        <translation>{0}：已不存在或不再符合；已从表格中去掉。</translation>
    </message>
    <message>
        <source>{0}: no longer there or no longer match; “Continue” takes them out.</source>
        <translation>{0}：已不存在或不再符合；选择“继续”会去掉它们。</translation>
    </message>
    <message>
        <source>{asked}, {when}</source>
        <translation>{asked}，{when}</translation>
    </message>
    <message>
        <source>{before} to {after}</source>
        <translation>{before} 到 {after}</translation>
    </message>
    <message>
        <source>{before}, {after}</source>
        <translation>{before}，{after}</translation>
    </message>
    <message>
        <source>{chosen:,} of {n:,} passage</source>
        <comment>{chosen:,} of {n:,} passages</comment>
        <translation>{chosen:,}/{n:,} 个段落</translation>
    </message>
    <message>
        <source>{chosen:,} of {n:,} passage chosen by you.</source>
        <comment>{chosen:,} of {n:,} passages chosen by you.</comment>
        <translation>你选择了 {n:,} 个段落中的 {chosen:,} 个。</translation>
    </message>
    <message>
        <source>{documents:,} of {n:,} document</source>
        <comment>{documents:,} of {n:,} documents</comment>
        <translation>{documents:,} / {n:,} 个文档</translation>
    </message>
    <message>
        <source>{done:,} of {n:,}</source>
        <translation>{done:,} / {n:,}</translation>
    </message>
    <message>
        <source>{done:,} of {n:,} file done</source>
        <comment>{done:,} of {n:,} files done</comment>
        <translation>已完成 {done:,}/{n:,} 个文件</translation>
    </message>
    <message>
        <source>{done:,} of {n:,} passage, {left}.</source>
        <comment>{done:,} of {n:,} passages, {left}.</comment>
        <translation>已完成 {done:,}/{n:,} 个段落，{left}。</translation>
    </message>
    <message>
        <source>{done:,} of {n:,} passage.</source>
        <comment>{done:,} of {n:,} passages.</comment>
        <translation>已完成 {done:,}/{n:,} 个段落。</translation>
    </message>
    <message>
        <source>{done:,} of {n:,}, {time} left</source>
        <translation>{done:,} / {n:,}，还需 {time}</translation>
    </message>
    <message>
        <source>{n:,} token</source>
        <comment>{n:,} tokens</comment>
        <translation>{n:,} 个 token</translation>
    </message>
    <message>
        <source>{title}

This is a session of Knowledge Workbench {version}, exported {exported}: {questions} with the answers,
the passages they cite and pictures of the cited pages.

To read it: open index.html in a browser. Nothing is loaded from anywhere.
To go on with it: in Knowledge Workbench choose File, Import session, or drop the file on the window.

session.json    everything that was recorded, one entry a question, each with its log
passages.json   the cited passages with their documents and places
documents.json  the documents with the sha256 of their files
manifest.json   every file in here with its sha256
</source>
        <translation>{title}

这是 Knowledge Workbench {version} 的一个会话，导出于 {exported}：{questions}及回答、
回答引用的段落，以及引用页面的图片。

阅读：在浏览器中打开 index.html。不会加载任何外部内容。
继续使用：在 Knowledge Workbench 中选择“文件”&gt;“导入会话”，或将此文件拖到窗口上。

session.json    全部记录，每个问题一条，附日志
passages.json   引用的段落及其文档和位置
documents.json  文档及其文件的 sha256
manifest.json   此处每个文件及其 sha256
</translation>
    </message>
    <message>
        <source>{title}, {mark}: {words}</source>
        <translation>{title}，{mark}：{words}</translation>
    </message>
    <message>
        <source>{tool} has no argument {names}.</source>
        <translation>{tool} 没有参数 {names}。</translation>
    </message>
    <message>
        <source>{turn}: {part}</source>
        <translation>{turn}：{part}</translation>
    </message>
    <message>
        <source>{used:,} of {limit:,} tokens</source>
        <translation>{used:,}/{limit:,} token</translation>
    </message>
    <message>
        <source>{used:.1f} of {limit:g} s</source>
        <translation>{used:.1f}/{limit:g} 秒</translation>
    </message>
    <message>
        <source>{used} of {n} round</source>
        <comment>{used} of {n} rounds</comment>
        <translation>{used}/{n} 轮</translation>
    </message>
    <message>
        <source>{used} of {n} tool call</source>
        <comment>{used} of {n} tool calls</comment>
        <translation>{used}/{n} 次工具调用</translation>
    </message>
    <message>
        <source>{used}: limit reached</source>
        <translation>{used}：已达上限</translation>
    </message>
    <message>
        <source>{words}: {name}</source>
        <translation>{words}：{name}</translation>
    </message>
    <message>
        <source>“Continue” reads what is left.</source>
        <translation>选择“继续”读取剩余部分。</translation>
    </message>
    <message>
        <source>“context” contains something that is not a path; it was left out.</source>
        <translation>“context”中含有非路径的内容，已略去。</translation>
    </message>
    <message>
        <source>“context” must be a list of paths; it was ignored.</source>
        <translation>“context”必须是路径列表，已忽略。</translation>
    </message>
    <message>
        <source>“{0}” gave an empty answer.</source>
        <translation>“{0}”没有回答任何内容。</translation>
    </message>
    <message>
        <source>“{0}” answers ({1}); the first word came after {2:d} s.</source>
        <translation>“{0}”可以回答（{1}）；第一个词在 {2} 秒后出现。</translation>
    </message>
    <message>
        <source>“{0}” can mean {1} documents: {2}. Give the number of one.</source>
        <translation>“{0}”可能指 {1} 个文档：{2}。请给出其中一个的编号。</translation>
    </message>
    <message>
        <source>“{0}” cannot be a key of metadata.</source>
        <translation>“{0}”不能作为元数据的键。</translation>
    </message>
    <message>
        <source>“{0}” cannot be read.</source>
        <translation>无法读取“{0}”。</translation>
    </message>
    <message>
        <source>“{0}” cannot be understood.</source>
        <translation>无法理解“{0}”的内容。</translation>
    </message>
    <message>
        <source>“{0}” cannot have such a value.</source>
        <translation>“{0}”不能有这样的值。</translation>
    </message>
    <message>
        <source>“{0}” has no column with the names of files.</source>
        <translation>“{0}”中没有文件名一列。</translation>
    </message>
    <message>
        <source>“{0}” has no value</source>
        <translation>“{0}”没有值</translation>
    </message>
    <message>
        <source>“{0}” has no {1}.</source>
        <translation>“{0}”没有{1}。</translation>
    </message>
    <message>
        <source>“{0}” has not been read yet; it is waiting in the queue.</source>
        <translation>“{0}”还没有读取，正在排队。</translation>
    </message>
    <message>
        <source>“{0}” has {1:d} lines: it is read in {2:d} parts, each a document.</source>
        <translation>“{0}”有 {1} 行：分成 {2} 部分读取，每部分是一个文档。</translation>
    </message>
    <message>
        <source>“{0}” has {1:d} messages: it is read in {2:d} parts, each a document.</source>
        <translation>“{0}”有 {1} 封邮件：分成 {2} 部分读取，每部分是一个文档。</translation>
    </message>
    <message>
        <source>“{0}” has {1:d} rows: it is read in {2:d} parts, each a document.</source>
        <translation>“{0}”有 {1} 行数据：分成 {2} 部分读取，每部分是一个文档。</translation>
    </message>
    <message>
        <source>“{0}” has {1} values.</source>
        <translation>“{0}”有 {1} 个值。</translation>
    </message>
    <message>
        <source>“{0}” holds another version of the same file.</source>
        <translation>“{0}”中有同一文件的另一个版本。</translation>
    </message>
    <message>
        <source>“{0}” holds no golden question.</source>
        <translation>“{0}”中没有评测问题。</translation>
    </message>
    <message>
        <source>“{0}” holds no golden question. Line {1}: {2}</source>
        <translation>“{0}”中没有评测问题。第 {1} 行：{2}</translation>
    </message>
    <message>
        <source>“{0}” holds no keys with values.</source>
        <translation>“{0}”中没有键和值。</translation>
    </message>
    <message>
        <source>“{0}” holds the same content already, as “{1}”.</source>
        <translation>“{0}”中已有相同内容，名为“{1}”。</translation>
    </message>
    <message>
        <source>“{0}” in it cannot be read: its documents stay as they are.</source>
        <translation>无法读取其中的“{0}”：它的文档保持不变。</translation>
    </message>
    <message>
        <source>“{0}” is among the models that it lists ({1:d}).</source>
        <translation>“{0}”在它列出的模型中（共 {1} 个）。</translation>
    </message>
    <message>
        <source>“{0}” is no longer a part of “{1}”.</source>
        <translation>“{0}”已不再是“{1}”的一部分。</translation>
    </message>
    <message>
        <source>“{0}” is not a table of values.</source>
        <translation>“{0}”不是值的表格。</translation>
    </message>
    <message>
        <source>“{0}” is not among the models that it lists: {1}.</source>
        <translation>“{0}”不在它列出的模型中：{1}。</translation>
    </message>
    <message>
        <source>“{0}” is not metadata.</source>
        <translation>“{0}”不是元数据。</translation>
    </message>
    <message>
        <source>“{0}” is the only manager of “{1}”.</source>
        <translation>“{0}”是“{1}”唯一的管理员。</translation>
    </message>
    <message>
        <source>“{0}” is too long.</source>
        <translation>“{0}”太长。</translation>
    </message>
    <message>
        <source>“{0}” of your question is in it</source>
        <translation>其中有问题里的“{0}”</translation>
    </message>
    <message>
        <source>“{0}” of your question is not in it</source>
        <translation>其中没有问题里的“{0}”</translation>
    </message>
    <message>
        <source>“{0}” was added again, to “{1}”.</source>
        <translation>“{0}”已重新添加到“{1}”。</translation>
    </message>
    <message>
        <source>“{0}” was read again.</source>
        <translation>已重新读取“{0}”。</translation>
    </message>
    <message>
        <source>“{0}” would have {1} keys of metadata.</source>
        <translation>“{0}”将有 {1} 个元数据键。</translation>
    </message>
    <message>
        <source>“{0}”, “{1}” and “{2}” are not in it.</source>
        <translation>其中没有“{0}”“{1}”和“{2}”。</translation>
    </message>
    <message>
        <source>“{0}”, “{1}” and “{2}” of your question are in it</source>
        <translation>其中有问题里的“{0}”“{1}”和“{2}”</translation>
    </message>
    <message>
        <source>“{0}”, “{1}” and “{2}” of your question are not in it</source>
        <translation>其中没有问题里的“{0}”“{1}”和“{2}”</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and 1 more word are not in it.</source>
        <translation>其中没有“{0}”“{1}”“{2}”和另外 1 个词。</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and 1 more word of your question are in it</source>
        <translation>其中有问题里的“{0}”“{1}”“{2}”和另外 1 个词</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and 1 more word of your question are not in it</source>
        <translation>其中没有问题里的“{0}”“{1}”“{2}”和另外 1 个词</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and {3} more words are not in it.</source>
        <translation>其中没有“{0}”“{1}”“{2}”和另外 {3} 个词。</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and {3} more words of your question are in it</source>
        <translation>其中有问题里的“{0}”“{1}”“{2}”和另外 {3} 个词</translation>
    </message>
    <message>
        <source>“{0}”, “{1}”, “{2}” and {3} more words of your question are not in it</source>
        <translation>其中没有问题里的“{0}”“{1}”“{2}”和另外 {3} 个词</translation>
    </message>
    <message>
        <source>“{word}” is not a link.</source>
        <translation>“{word}”不是链接。</translation>
    </message>
    <message>
        <source>“{word}”: {standing}; {share:.0%} of the question; {rare}</source>
        <translation>“{word}”：{standing}；占问题的 {share:.0%}；{rare}</translation>
    </message>
    <message>
        <source>… and {n:,} more</source>
        <translation>… 还有 {n:,} 个</translation>
    </message>
    <message>
        <source>≈ {n:,} token</source>
        <comment>≈ {n:,} tokens</comment>
        <translation>≈ {n:,} 个 token</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>After it</source>
        <translation>下一段</translation>
    </message>
    <message>
        <source>Before it</source>
        <translation>上一段</translation>
    </message>
    <message>
        <source>Context length</source>
        <translation>上下文长度</translation>
    </message>
    <message>
        <source>Counts the documents that contain words, and shows where.</source>
        <translation>统计哪些文档中有这些词语，并显示其位置。</translation>
    </message>
    <message>
        <source>Document overview</source>
        <translation>文档概览</translation>
    </message>
    <message>
        <source>Drop here to ask about it</source>
        <translation>拖放到这里即可就此提问</translation>
    </message>
    <message>
        <source>Drop on a folder to add to it</source>
        <translation>拖放到文件夹上即可添加到其中</translation>
    </message>
    <message>
        <source>Find in all documents</source>
        <translation>在所有文档中查找</translation>
    </message>
    <message>
        <source>Find table</source>
        <translation>查找表格</translation>
    </message>
    <message>
        <source>Finds the table or list whose rows are asked for, and gives it whole.</source>
        <translation>查找所需的表格或列表，并完整给出。</translation>
    </message>
    <message>
        <source>The permission of this library to use the network could not be stored.</source>
        <translation>无法保存此文档库使用网络的许可。</translation>
    </message>
    <message>
        <source>Lets the model see what documents are about: their outline and how each section begins.</source>
        <translation>让模型了解文档的内容：大纲和各节的开头。</translation>
    </message>
    <message>
        <source>Look at the structure</source>
        <translation>查看结构</translation>
    </message>
    <message>
        <source>Model profiles</source>
        <translation>模型配置</translation>
    </message>
    <message>
        <source>Model: {0} at {1}, {2}. The passages found are sent to it.</source>
        <translation>模型：{0}，位于 {1}（{2}）；找到的段落会发送给它。</translation>
    </message>
    <message>
        <source>Model: {0}; it could not be asked.</source>
        <translation>模型：{0}；无法询问。</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Modified</source>
        <translation>修改日期</translation>
    </message>
    <message>
        <source>More to know</source>
        <translation>补充信息</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>Move down (Alt+Down)</source>
        <translation>下移 (Alt+Down)</translation>
    </message>
    <message>
        <source>Move or copy</source>
        <translation>移动或复制</translation>
    </message>
    <message>
        <source>Move or copy to…</source>
        <translation>移动或复制到…</translation>
    </message>
    <message>
        <source>Move over the map</source>
        <translation>移动地图</translation>
    </message>
    <message>
        <source>Move up (Alt+Up)</source>
        <translation>上移 (Alt+Up)</translation>
    </message>
    <message>
        <source>Moved {n:,} document to “{base}”</source>
        <translation>已将 {n:,} 个文档移到“{base}”</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Name of a new tool server</source>
        <translation>新工具服务器的名称</translation>
    </message>
    <message>
        <source>Name of configuration {letter}:</source>
        <translation>配置 {letter} 的名称：</translation>
    </message>
    <message>
        <source>Name of the knowledge base</source>
        <translation>知识库名称</translation>
    </message>
    <message>
        <source>Name of the reading:</source>
        <translation>通读的名称：</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>文档名</translation>
    </message>
    <message>
        <source>Naming the regions</source>
        <translation>正在为区域命名</translation>
    </message>
    <message>
        <source>Zoom in on the map</source>
        <translation>放大地图</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>New knowledge base</source>
        <translation>新建知识库</translation>
    </message>
    <message>
        <source>New knowledge base…</source>
        <translation>新建知识库…</translation>
    </message>
    <message>
        <source>New line</source>
        <translation>换行</translation>
    </message>
    <message>
        <source>New name of “{base}”:</source>
        <translation>“{base}”的新名称：</translation>
    </message>
    <message>
        <source>New note</source>
        <translation>新建笔记</translation>
    </message>
    <message>
        <source>New note…</source>
        <translation>新建笔记…</translation>
    </message>
    <message>
        <source>New question for every passage…</source>
        <translation>新的通读问题…</translation>
    </message>
    <message>
        <source>New session</source>
        <translation>新建会话</translation>
    </message>
    <message>
        <source>New tags</source>
        <translation>新标签</translation>
    </message>
    <message>
        <source>Next</source>
        <comment>step</comment>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Next or previous citation</source>
        <translation>下一个或上一个引用</translation>
    </message>
    <message>
        <source>Next or previous page</source>
        <translation>下一页或上一页</translation>
    </message>
    <message>
        <source>Next or previous place found</source>
        <translation>下一处或上一处匹配</translation>
    </message>
    <message>
        <source>Next page</source>
        <translation>下一页</translation>
    </message>
    <message>
        <source>Next pane</source>
        <translation>下一个窗格</translation>
    </message>
    <message>
        <source>Next place (Enter)</source>
        <translation>下一处 (Enter)</translation>
    </message>
    <message>
        <source>Next place found</source>
        <translation>下一处匹配</translation>
    </message>
    <message>
        <source>Next session</source>
        <translation>下一个会话</translation>
    </message>
    <message>
        <source>Next: {action}. Confidence: {confidence:.0%}.</source>
        <translation>下一步：{action}。置信度：{confidence:.0%}。</translation>
    </message>
    <message>
        <source>No</source>
        <translation>否</translation>
    </message>
    <message>
        <source>No answer was given.</source>
        <translation>没有给出回答。</translation>
    </message>
    <message>
        <source>No document matches “{0}”.</source>
        <translation>没有与“{0}”匹配的文档。</translation>
    </message>
    <message>
        <source>No documents yet</source>
        <translation>还没有文档</translation>
    </message>
    <message>
        <source>No library is open</source>
        <translation>没有打开文档库</translation>
    </message>
    <message>
        <source>No model is set up, so I look for sentences in your documents that answer: {0}</source>
        <translation>没有配置模型，因此在文档中查找能回答问题的句子：{0}</translation>
    </message>
    <message>
        <source>No passage matched.</source>
        <translation>没有匹配的段落。</translation>
    </message>
    <message>
        <source>No question could be measured.</source>
        <translation>没有可以评测的问题。</translation>
    </message>
    <message>
        <source>No question got better.</source>
        <translation>没有问题变好。</translation>
    </message>
    <message>
        <source>No question got worse.</source>
        <translation>没有问题变差。</translation>
    </message>
    <message>
        <source>Searches skip it then</source>
        <translation>停用后搜索不会找到它</translation>
    </message>
    <message>
        <source>No sentence fits the question well enough to be quoted.</source>
        <translation>没有与问题足够吻合、可以引用的句子。</translation>
    </message>
    <message>
        <source>It cites no source.</source>
        <translation>它没有引用来源。</translation>
    </message>
    <message>
        <source>No system prompt was sent</source>
        <translation>未发送系统提示词</translation>
    </message>
    <message>
        <source>No table was found there.</source>
        <translation>其中没有找到表格。</translation>
    </message>
    <message>
        <source>No text was found in it</source>
        <translation>其中没有文字</translation>
    </message>
    <message>
        <source>No text was found in “{0}”.</source>
        <translation>“{0}”中没有找到文字。</translation>
    </message>
    <message>
        <source>No tools were declared</source>
        <translation>未声明工具</translation>
    </message>
    <message>
        <source>No.</source>
        <translation>序号</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>None of the passwords opens the archive “{0}”.</source>
        <translation>没有一个密码能打开压缩包“{0}”。</translation>
    </message>
    <message>
        <source>None yet: it is loaded with the first document.</source>
        <translation>还没有：添加第一个文档时加载。</translation>
    </message>
    <message>
        <source>Not a source of this run: {numbers}. The model made it up: no search found such a source.</source>
        <translation>不是本次运行的来源：{numbers}。这是模型编造的：没有任何搜索找到这样的来源。</translation>
    </message>
    <message>
        <source>Only part of it appears in any passage found.</source>
        <translation>找到的段落里只有这句话的部分内容。</translation>
    </message>
    <message>
        <source>Only part of it appears in the cited passage.</source>
        <translation>引用的段落里只有这句话的部分内容。</translation>
    </message>
    <message>
        <source>Skipped: only the last round allowed for an answer was left.</source>
        <translation>已跳过：回答允许的轮数只剩最后一轮。</translation>
    </message>
    <message>
        <source>Skipped: the tokens allowed for an answer were nearly used up.</source>
        <translation>已跳过：回答允许的 token 数即将用完。</translation>
    </message>
    <message>
        <source>Not checked: “{0}” – {1}</source>
        <translation>未核对：“{0}”——{1}</translation>
    </message>
    <message>
        <source>Not evaluated yet</source>
        <translation>尚未评测</translation>
    </message>
    <message>
        <source>Not finished: {reason}</source>
        <translation>尚未完成：{reason}</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>Not known yet</source>
        <translation>尚不清楚</translation>
    </message>
    <message>
        <source>Not now</source>
        <translation>暂不</translation>
    </message>
    <message>
        <source>Nothing has been marked as right or wrong yet.</source>
        <translation>还没有标记任何对错。</translation>
    </message>
    <message>
        <source>Nothing is reranked: passages keep the order of the search.</source>
        <translation>不重排：段落保持搜索的顺序。</translation>
    </message>
    <message>
        <source>Nothing leaves this computer.</source>
        <translation>没有任何内容离开本机。</translation>
    </message>
    <message>
        <source>None of the judged passages is in the library.</source>
        <translation>标记过的段落都不在文档库中。</translation>
    </message>
    <message>
        <source>Nothing was changed. Begin it with SELECT or WITH.</source>
        <translation>没有更改任何内容。查询请以 SELECT 或 WITH 开头。</translation>
    </message>
    <message>
        <source>Nothing was found</source>
        <translation>什么也没有找到</translation>
    </message>
    <message>
        <source>Nothing was found under the number {0}: this source does not exist.</source>
        <translation>编号 {0} 下没有任何内容：此来源不存在。</translation>
    </message>
    <message>
        <source>Notifications</source>
        <translation>通知</translation>
    </message>
    <message>
        <source>OCR</source>
        <translation>OCR</translation>
    </message>
    <message>
        <source>OCR could not read it.</source>
        <translation>OCR 无法识别它。</translation>
    </message>
    <message>
        <source>OCR was not sure of what it read there, so that the text was left as it is.</source>
        <translation>OCR 对那里的识别没有把握，因此保留了原有文字。</translation>
    </message>
    <message>
        <source>OCR {pages}</source>
        <translation>用 OCR 识别 {pages}</translation>
    </message>
    <message>
        <source>One of the two parts would be empty.</source>
        <translation>拆分后有一部分会是空的。</translation>
    </message>
    <message>
        <source>One of your edits could not be applied again: the text is not in the file any more.</source>
        <translation>你的一处编辑无法再次应用：文件中已没有那段文字。</translation>
    </message>
    <message>
        <source>One page for any browser, with the cited pages.</source>
        <translation>一个网页，任何浏览器都能打开，含引用的页面。</translation>
    </message>
    <message>
        <source>One question, asked of every passage, not only of those that a search finds. You get a verdict for each document.</source>
        <translation>对每个段落都提出同一个问题，而不只是搜索找到的段落；每个文档得出一个结论。</translation>
    </message>
    <message>
        <source>OneNote sections</source>
        <translation>OneNote 分区</translation>
    </message>
    <message>
        <source>Only filter {filter}</source>
        <translation>仅限筛选条件 {filter}</translation>
    </message>
    <message>
        <source>Only keywords were searched, not the meaning. {0}</source>
        <translation>只按关键词搜索，没有按语义搜索。{0}</translation>
    </message>
    <message>
        <source>Only knowledge base {knowledge_base}</source>
        <translation>仅限知识库 {knowledge_base}</translation>
    </message>
    <message>
        <source>Only knowledge base {knowledge_base}, filter {filter}</source>
        <translation>仅限知识库 {knowledge_base}，筛选条件 {filter}</translation>
    </message>
    <message>
        <source>Only notes can be edited here.</source>
        <translation>这里只能编辑笔记。</translation>
    </message>
    <message>
        <source>Only passages of the library&apos;s documents can be marked.</source>
        <translation>只能标记文档库中文档的段落。</translation>
    </message>
    <message>
        <source>Only passages that follow one another can be merged.</source>
        <translation>只能合并相邻的段落。</translation>
    </message>
    <message>
        <source>Only the knowledge base “{name}”</source>
        <translation>仅知识库“{name}”</translation>
    </message>
    <message>
        <source>Only written text can be searched.</source>
        <translation>只能搜索文字内容。</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open</source>
        <comment>verb</comment>
        <translation>打开</translation>
    </message>
    <message>
        <source>Open another library</source>
        <translation>打开其他文档库</translation>
    </message>
    <message>
        <source>Open another library…</source>
        <translation>打开其他文档库…</translation>
    </message>
    <message>
        <source>Open file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Open it again.</source>
        <translation>请重新打开。</translation>
    </message>
    <message>
        <source>Open it in Access and export the tables to Excel.</source>
        <translation>请在 Access 中打开，把表导出到 Excel。</translation>
    </message>
    <message>
        <source>Open it in Excel or LibreOffice and save it as .xlsx.</source>
        <translation>请在 Excel 或 LibreOffice 中打开，另存为 .xlsx。</translation>
    </message>
    <message>
        <source>Open it in Keynote and choose File &gt; Export To &gt; PowerPoint.</source>
        <translation>请在 Keynote 中打开，选择“文件 &gt; 导出为 &gt; PowerPoint”。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as .docx.</source>
        <translation>请在 LibreOffice 中打开，另存为 .docx。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as .odp.</source>
        <translation>请在 LibreOffice 中打开，另存为 .odp。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as .ods.</source>
        <translation>请在 LibreOffice 中打开，另存为 .ods。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as .odt.</source>
        <translation>请在 LibreOffice 中打开，另存为 .odt。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as .pptx.</source>
        <translation>请在 LibreOffice 中打开，另存为 .pptx。</translation>
    </message>
    <message>
        <source>Open it in LibreOffice and save it as PDF.</source>
        <translation>请在 LibreOffice 中打开，另存为 PDF。</translation>
    </message>
    <message>
        <source>Open it in Numbers and choose File &gt; Export To &gt; Excel.</source>
        <translation>请在 Numbers 中打开，选择“文件 &gt; 导出为 &gt; Excel”。</translation>
    </message>
    <message>
        <source>Open it in OneNote and export it as Word or PDF.</source>
        <translation>请在 OneNote 中打开，导出为 Word 或 PDF。</translation>
    </message>
    <message>
        <source>Open it in Outlook and save the messages that you need as .msg.</source>
        <translation>请在 Outlook 中打开，把需要的邮件另存为 .msg。</translation>
    </message>
    <message>
        <source>Open it in Pages and choose File &gt; Export To &gt; Word.</source>
        <translation>请在 Pages 中打开，选择“文件 &gt; 导出为 &gt; Word”。</translation>
    </message>
    <message>
        <source>Open it in a DjVu viewer and save it as PDF.</source>
        <translation>请在 DjVu 阅读器中打开，另存为 PDF。</translation>
    </message>
    <message>
        <source>Open it in a picture program and save it as PNG.</source>
        <translation>请在图片程序中打开，另存为 PNG。</translation>
    </message>
    <message>
        <source>Open it in a web browser and save it as PDF.</source>
        <translation>请在浏览器中打开，另存为 PDF。</translation>
    </message>
    <message>
        <source>Open it in its own program and save it as PDF.</source>
        <translation>请在其原本的程序中打开，另存为 PDF。</translation>
    </message>
    <message>
        <source>Open it in its own program and save it without a password.</source>
        <translation>请用其原本的程序打开，不带密码保存。</translation>
    </message>
    <message>
        <source>Open it in its own program, check that it is what you expect, and save it again.</source>
        <translation>请用其原本的程序打开，确认内容无误后重新保存。</translation>
    </message>
    <message>
        <source>Open it in its viewer and print it to a PDF.</source>
        <translation>请在其查看器中打开，打印为 PDF。</translation>
    </message>
    <message>
        <source>Open it in the XPS viewer and print it to a PDF.</source>
        <translation>请在 XPS 查看器中打开，打印为 PDF。</translation>
    </message>
    <message>
        <source>Open it in the browser, save it there, and add the file.</source>
        <translation>请在浏览器中打开并保存，再添加该文件。</translation>
    </message>
    <message>
        <source>Open it in the drawing program and print it to a PDF.</source>
        <translation>请在绘图程序中打开，打印为 PDF。</translation>
    </message>
    <message>
        <source>Open it in {0} and save as .{1}, or install LibreOffice.</source>
        <translation>请在 {0} 中打开并另存为 .{1}，或安装 LibreOffice。</translation>
    </message>
    <message>
        <source>Open it in {0} and save it as .{1}.</source>
        <translation>请在 {0} 中打开，另存为 .{1}。</translation>
    </message>
    <message>
        <source>Open page</source>
        <translation>打开网页</translation>
    </message>
    <message>
        <source>Open the citation</source>
        <translation>打开引用</translation>
    </message>
    <message>
        <source>Open the file in a PDF viewer.</source>
        <translation>请用 PDF 阅读器打开该文件。</translation>
    </message>
    <message>
        <source>Open the session again.</source>
        <translation>请重新打开会话。</translation>
    </message>
    <message>
        <source>OpenDocument</source>
        <translation>OpenDocument</translation>
    </message>
    <message>
        <source>Opening the library…</source>
        <translation>正在打开文档库…</translation>
    </message>
    <message>
        <source>Optional</source>
        <translation>可选</translation>
    </message>
    <message>
        <source>Or in the sessions</source>
        <translation>也可在会话列表中查找</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Out of date: {changes}.</source>
        <translation>已过时：{changes}。</translation>
    </message>
    <message>
        <source>Outlook packed the attachments in its own format</source>
        <translation>Outlook 用自己的格式打包了附件</translation>
    </message>
    <message>
        <source>PDF</source>
        <translation>PDF</translation>
    </message>
    <message>
        <source>Page</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Page {0} cannot be drawn.</source>
        <translation>无法绘制第 {0} 页。</translation>
    </message>
    <message>
        <source>Page {0} cannot be laid out.</source>
        <translation>无法分析第 {0} 页的版面。</translation>
    </message>
    <message>
        <source>Page {n} of {pages}</source>
        <translation>第 {n} 页，共 {pages} 页</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页数</translation>
    </message>
    <message>
        <source>Pages of the settings</source>
        <translation>设置的各页</translation>
    </message>
    <message>
        <source>Passage {n}</source>
        <translation>段落 {n}</translation>
    </message>
    <message>
        <source>Passage {n}, cited in the answer</source>
        <translation>段落 {n}，回答引用了它</translation>
    </message>
    <message>
        <source>Abbreviations</source>
        <translation>缩略语</translation>
    </message>
    <message>
        <source>(different values)</source>
        <translation>（值不同）</translation>
    </message>
    <message>
        <source>A key is a word of at most {0} letters, digits and “_” that begins with a letter.</source>
        <translation>键是一个最多 {0} 个字母、数字和“_”的词，以字母开头。</translation>
    </message>
    <message>
        <source>A search configuration has no “{0}”.</source>
        <translation>搜索配置中没有“{0}”。</translation>
    </message>
    <message>
        <source>Add the file that it leads to.</source>
        <translation>请添加它所指向的文件。</translation>
    </message>
    <message>
        <source>Another version of the program wrote the vector store.</source>
        <translation>该向量库由另一版本的程序写入。</translation>
    </message>
    <message>
        <source>Answers that cannot be read: {0}.</source>
        <translation>无法读取的回答：{0} 个。</translation>
    </message>
    <message>
        <source>Ask the question again, or choose a later step.</source>
        <translation>请重新提问，或选择之后的步骤。</translation>
    </message>
    <message>
        <source>Its own settings let it contact only the hosts that you allowed; this system cannot enforce that.</source>
        <translation>按其自身设置，它只访问你允许的主机；本系统无法确保这一点。</translation>
    </message>
    <message>
        <source>Changed the metadata of {n:,} document</source>
        <comment>Changed the metadata of {n:,} documents</comment>
        <translation>已更改 {n:,} 个文档的元数据</translation>
    </message>
    <message>
        <source>Changed the metadata of “{name}”</source>
        <translation>已更改“{name}”的元数据</translation>
    </message>
    <message>
        <source>Changes in this version</source>
        <translation>此版本的变化</translation>
    </message>
    <message>
        <source>Check that it is running. The vectors are safe in the library.</source>
        <translation>请检查它是否在运行。向量仍安全地保存在文档库中。</translation>
    </message>
    <message>
        <source>Check the folder (--library, or $WORKBENCH_LIBRARY) and whether its drive is connected. “workbench add PATH” and the window make a new library.</source>
        <translation>请检查文件夹（--library 或 $WORKBENCH_LIBRARY），以及其所在的驱动器是否已连接。“workbench add PATH”和窗口会创建新的文档库。</translation>
    </message>
    <message>
        <source>Chinese font</source>
        <translation>中文字体</translation>
    </message>
    <message>
        <source>Chinese text is shown with a font of this system.</source>
        <translation>中文用系统中的字体显示。</translation>
    </message>
    <message>
        <source>Choose another, for example “my_{0}”. In use are {1}.</source>
        <translation>请换一个，例如“my_{0}”。程序使用的有 {1}。</translation>
    </message>
    <message>
        <source>Choose the folder of a sentence-transformers model in the settings, or leave the field empty.</source>
        <translation>请在设置中选择 sentence-transformers 模型的文件夹，或将此项留空。</translation>
    </message>
    <message>
        <source>Close it, start it again, and try once more.</source>
        <translation>请关闭它，重新启动，然后再试一次。</translation>
    </message>
    <message>
        <source>Close the window and start the program again. Your documents and sessions are safe.</source>
        <translation>请关闭窗口并重新启动程序。你的文档和会话是安全的。</translation>
    </message>
    <message>
        <source>Copy the library folder to a place that you may write to, or change its permissions.</source>
        <translation>请将文档库文件夹复制到你可以写入的位置，或更改其权限。</translation>
    </message>
    <message>
        <source>Copy the whole library folder to a place that you may write to, and open it there.</source>
        <translation>请将整个文档库文件夹复制到你可以写入的位置，然后在那里打开。</translation>
    </message>
    <message>
        <source>Damaged vectors: {0}.</source>
        <translation>损坏的向量：{0}。</translation>
    </message>
    <message>
        <source>Divide it into several files, or save its records as JSON Lines or CSV, which are read in parts.</source>
        <translation>请将它分成几个文件，或把其中的记录存为 JSON Lines 或 CSV，这些格式会分成部分读取。</translation>
    </message>
    <message>
        <source>Do it in several steps, or close that program first.</source>
        <translation>请分几步进行，或先关闭那个程序。</translation>
    </message>
    <message>
        <source>Download of packages</source>
        <translation>下载软件包</translation>
    </message>
    <message>
        <source>Embedding and search run on {0:d} processor cores ({1}), not on the GPU.</source>
        <translation>嵌入和搜索在 {0} 个处理器核心（{1}）上运行，不使用显卡。</translation>
    </message>
    <message>
        <source>Embedding…</source>
        <translation>正在嵌入…</translation>
    </message>
    <message>
        <source>Enter it again: workbench store key. Nothing is lost.</source>
        <translation>请重新输入：workbench store key。没有丢失任何内容。</translation>
    </message>
    <message>
        <source>Enter it like http://localhost:6333.</source>
        <translation>请按 http://localhost:6333 的形式输入。</translation>
    </message>
    <message>
        <source>Enter it like postgresql://name@localhost:5432/database, without further options but sslmode.</source>
        <translation>请按 postgresql://name@localhost:5432/database 的形式输入，除 sslmode 外不带其他选项。</translation>
    </message>
    <message>
        <source>Enter it, such as postgresql://name@localhost/database.</source>
        <translation>请输入地址，例如 postgresql://name@localhost/database。</translation>
    </message>
    <message>
        <source>Enter the address of its server first.</source>
        <translation>请先输入其服务器的地址。</translation>
    </message>
    <message>
        <source>Enter the address of one of them.</source>
        <translation>请输入其中一台的地址。</translation>
    </message>
    <message>
        <source>For this answer {0:d} of {1:d} passages were read. “Read everything” reads all of them.</source>
        <translation>为回答此问题，阅读了 {1} 个段落中的 {0} 个。“通读全部”会阅读全部段落。</translation>
    </message>
    <message>
        <source>Free some space.</source>
        <translation>请释放一些空间。</translation>
    </message>
    <message>
        <source>Free some space: it is read then, or by “workbench resume”.</source>
        <translation>请腾出一些空间：之后会自动读取，也可以用“workbench resume”读取。</translation>
    </message>
    <message>
        <source>Give a text, a number, a date or a list of these.</source>
        <translation>请给出文本、数字、日期或它们的列表。</translation>
    </message>
    <message>
        <source>Give at most {0}.</source>
        <translation>最多给出 {0} 个。</translation>
    </message>
    <message>
        <source>Give one of {0}.</source>
        <translation>请填写以下之一：{0}。</translation>
    </message>
    <message>
        <source>Name one column “file”, and the others by the keys of the metadata.</source>
        <translation>请把一列的标题写成“file”；其他各列的标题是元数据的键。</translation>
    </message>
    <message>
        <source>If it was started before an update, close it and start it again.</source>
        <translation>如果它是在更新之前启动的，请关闭后重新启动。</translation>
    </message>
    <message>
        <source>Install</source>
        <translation>安装</translation>
    </message>
    <message>
        <source>Install it with pip install &apos;knowledge-workbench[built-in-model]&apos;.</source>
        <translation>请用 pip install &apos;knowledge-workbench[built-in-model]&apos; 安装。</translation>
    </message>
    <message>
        <source>Install it: pip install “knowledge-workbench[{0}]”, or choose another vector store.</source>
        <translation>请安装：pip install “knowledge-workbench[{0}]”，或选择其他向量库。</translation>
    </message>
    <message>
        <source>Install the program with pipx: pipx install &apos;knowledge-workbench[models]&apos;.</source>
        <translation>请用 pipx 安装本程序：pipx install &apos;knowledge-workbench[models]&apos;。</translation>
    </message>
    <message>
        <source>Install them in the settings under “Embedding model in use”, or with pip install &apos;knowledge-workbench[models]&apos;.</source>
        <translation>请在设置的“正在使用的嵌入模型”中安装，或执行 pip install &apos;knowledge-workbench[models]&apos;。</translation>
    </message>
    <message>
        <source>Installing… {line}</source>
        <translation>正在安装… {line}</translation>
    </message>
    <message>
        <source>It can be written.</source>
        <translation>可以写入。</translation>
    </message>
    <message>
        <source>It was not ready within {0}.</source>
        <translation>它在 {0}内没有准备好。</translation>
    </message>
    <message>
        <source>It has 1 page.</source>
        <translation>它有 1 页。</translation>
    </message>
    <message>
        <source>It has more than {0} keys.</source>
        <translation>它有超过 {0} 个键。</translation>
    </message>
    <message>
        <source>It has {0:d} pages.</source>
        <translation>它有 {0} 页。</translation>
    </message>
    <message>
        <source>It is far too large.</source>
        <translation>它过大。</translation>
    </message>
    <message>
        <source>It is not JSON in UTF-8.</source>
        <translation>它不是 UTF-8 编码的 JSON。</translation>
    </message>
    <message>
        <source>The stored width of the vectors is wrong.</source>
        <translation>所记录的向量宽度有误。</translation>
    </message>
    <message>
        <source>It is derived from the vectors.</source>
        <translation>会根据向量本身重新确定。</translation>
    </message>
    <message>
        <source>It is moved to quarantine. To have it read, add the file again.</source>
        <translation>它会被移到隔离区。若要读取，请重新添加该文件。</translation>
    </message>
    <message>
        <source>At most {0:d} KB are allowed.</source>
        <translation>最多 {0} KB。</translation>
    </message>
    <message>
        <source>It must contain {0}.</source>
        <translation>其中必须包含 {0}。</translation>
    </message>
    <message>
        <source>It took more than {0}.</source>
        <translation>用时超过 {0}。</translation>
    </message>
    <message>
        <source>Its server answered with status {0:d}.</source>
        <translation>其服务器返回状态码 {0}。</translation>
    </message>
    <message>
        <source>Its server cannot be reached.</source>
        <translation>无法连接其服务器。</translation>
    </message>
    <message>
        <source>Its value “{0}” is not a text.</source>
        <translation>其中的“{0}”不是文本。</translation>
    </message>
    <message>
        <source>Its value “{0}” is not as the format requires.</source>
        <translation>其中的“{0}”不符合格式要求。</translation>
    </message>
    <message>
        <source>Keys that you enter are kept in the system&apos;s keyring.</source>
        <translation>你输入的密钥保存在系统的密钥环中。</translation>
    </message>
    <message>
        <source>Leave its address empty.</source>
        <translation>请将其地址留空。</translation>
    </message>
    <message>
        <source>LibreOffice</source>
        <translation>LibreOffice</translation>
    </message>
    <message>
        <source>LibreOffice is not installed: old Word and PowerPoint files and binary Excel files are refused with advice. All other formats are read without it.</source>
        <translation>未安装 LibreOffice：无法读取旧版 Word、PowerPoint 文件和二进制 Excel 文件，会提示如何处理；其他格式都不需要它。</translation>
    </message>
    <message>
        <source>LibreOffice took longer than {0} to convert the file.</source>
        <translation>LibreOffice 转换该文件的用时超过 {0}。</translation>
    </message>
    <message>
        <source>Lines of long files</source>
        <translation>长文件的行号</translation>
    </message>
    <message>
        <source>Look at it in the program that made it.</source>
        <translation>请在执行该更改的程序中查看。</translation>
    </message>
    <message>
        <source>Look at the address of the release feed in the settings.</source>
        <translation>请检查设置中发布信息源的地址。</translation>
    </message>
    <message>
        <source>Check there whether the change was made.</source>
        <translation>请在那个窗口中查看更改是否已完成。</translation>
    </message>
    <message>
        <source>Add a second one after the words that belong together.</source>
        <translation>请在这组词后面再加一个引号。</translation>
    </message>
    <message>
        <source>Allowed by you with changed arguments. The model&apos;s were: {arguments}</source>
        <translation>已由你修改参数后批准。模型原来的参数：{arguments}</translation>
    </message>
    <message>
        <source>Check the format and the name of the model; the response was discarded.</source>
        <translation>请检查格式和模型名称；该响应已丢弃。</translation>
    </message>
    <message>
        <source>Enter a title.</source>
        <translation>请输入标题。</translation>
    </message>
    <message>
        <source>For all tools</source>
        <translation>所有工具</translation>
    </message>
    <message>
        <source>For further editing, with each citation as a footnote.</source>
        <translation>便于继续编辑，每处引用都是脚注。</translation>
    </message>
    <message>
        <source>For tools that use the network</source>
        <translation>联网工具</translation>
    </message>
    <message>
        <source>It ranked {0} of the {1} found, but none of them fits the question well enough to be used for an answer.</source>
        <translation>它在找到的 {1} 段中排第 {0}，但这些段落都与问题不够契合，没有一段用于回答。</translation>
    </message>
    <message>
        <source>It returns vectors of {dimensions} dimensions and takes {milliseconds} ms per sentence.</source>
        <translation>它返回 {dimensions} 维的向量，每个句子用时 {milliseconds} 毫秒。</translation>
    </message>
    <message>
        <source>It was returned as {0} of {1}, but no sentence in it answers the question clearly enough to be quoted.</source>
        <translation>它在返回的 {1} 段中排第 {0}，但其中没有一句能足够明确地回答问题，不宜引用。</translation>
    </message>
    <message>
        <source>Known price</source>
        <translation>已知价格</translation>
    </message>
    <message>
        <source>MCP servers</source>
        <translation>MCP 服务器</translation>
    </message>
    <message>
        <source>Make the change there, or close it there first.</source>
        <translation>请在那里进行更改，或先在那里关闭它。</translation>
    </message>
    <message>
        <source>Metadata</source>
        <translation>元数据</translation>
    </message>
    <message>
        <source>Metadata left out: {0}</source>
        <translation>略去的元数据：{0}</translation>
    </message>
    <message>
        <source>Metadata of documents</source>
        <translation>文档的元数据</translation>
    </message>
    <message>
        <source>Metadata of linked folders</source>
        <translation>关联文件夹的元数据</translation>
    </message>
    <message>
        <source>Metadata of {n:,} document</source>
        <comment>Metadata of {n:,} documents</comment>
        <translation>{n:,} 个文档的元数据</translation>
    </message>
    <message>
        <source>Metadata of “{name}”</source>
        <translation>“{name}”的元数据</translation>
    </message>
    <message>
        <source>Metadata of “{name}”…</source>
        <translation>“{name}”的元数据…</translation>
    </message>
    <message>
        <source>Metadata: {metadata}</source>
        <translation>元数据：{metadata}</translation>
    </message>
    <message>
        <source>Metadata…</source>
        <translation>元数据…</translation>
    </message>
    <message>
        <source>Neither Chromium nor Chrome is installed: web pages are added without running their scripts.</source>
        <translation>未安装 Chromium 或 Chrome：添加网页时不运行其脚本。</translation>
    </message>
    <message>
        <source>No font with Chinese characters is installed: Chinese text is read and searched, and shown as boxes. Install one, such as Noto Sans CJK.</source>
        <translation>未安装含汉字的字体：中文可以读取和搜索，但显示为方框。请安装一种，例如 Noto Sans CJK。</translation>
    </message>
    <message>
        <source>No name</source>
        <translation>不填名字</translation>
    </message>
    <message>
        <source>No passages are waiting to be sent to {0}.</source>
        <translation>没有段落等待发送到 {0}。</translation>
    </message>
    <message>
        <source>No plans now: answers use no model, or plans are switched off in the settings or for this agent.</source>
        <translation>目前无法先列计划：回答不使用模型，或者在设置中或为此智能体关闭了计划。</translation>
    </message>
    <message>
        <source>No plug-in files. Put a Python file into {folder}, then choose “Look again”.</source>
        <translation>没有插件文件。请把 Python 文件放入 {folder}，然后点击“重新查看”。</translation>
    </message>
    <message>
        <source>No release feed is set, so no server is asked for a newer version.</source>
        <translation>未设置发布信息源，因此不会向任何服务器查询新版本。</translation>
    </message>
    <message>
        <source>Nobody else can see it. The server&apos;s administrator creates users.</source>
        <translation>其他人看不到其中的任何内容。用户由服务器的管理员创建。</translation>
    </message>
    <message>
        <source>Not all of it was read: {0}.</source>
        <translation>没有全部读取：{0}。</translation>
    </message>
    <message>
        <source>Not included: 1 page of these documents, which has no text or was not read.</source>
        <translation>未包含：这些文档中有 1 页没有文本或未读取。</translation>
    </message>
    <message>
        <source>Not included: the end of 1 document, which was not read.</source>
        <translation>未包含：1 个文档的末尾，未读取。</translation>
    </message>
    <message>
        <source>Not included: the ends of {0:d} documents, which were not read.</source>
        <translation>未包含：{0} 个文档的末尾，未读取。</translation>
    </message>
    <message>
        <source>Not included: {0:d} documents that are locked or could not be read.</source>
        <translation>未包含：{0} 个已锁定或无法读取的文档。</translation>
    </message>
    <message>
        <source>Not included: {0:d} documents that are waiting to be read into the library.</source>
        <translation>未包含：{0} 个正等待读入文档库的文档。</translation>
    </message>
    <message>
        <source>Not included: {0:d} pages of these documents, which have no text or were not read.</source>
        <translation>未包含：这些文档中有 {0} 页没有文本或未读取。</translation>
    </message>
    <message>
        <source>Old Office files are read by LibreOffice.</source>
        <translation>旧版 Office 文件由 LibreOffice 读取。</translation>
    </message>
    <message>
        <source>Only the first of its {0:d} pages is searched: {1}</source>
        <translation>共 {0} 页，只搜索第一页：{1}</translation>
    </message>
    <message>
        <source>Only {0} is free: if the disk is full, files wait until there is room to read them.</source>
        <translation>仅剩 {0}：如果磁盘已满，文件会等到有空间再读取。</translation>
    </message>
    <message>
        <source>Open it to change it.</source>
        <translation>请以可写方式打开它再进行更改。</translation>
    </message>
    <message>
        <source>Open its page…</source>
        <translation>打开其页面…</translation>
    </message>
    <message>
        <source>Part {0} of {1} of the documents is missing in this answer: {2}</source>
        <translation>此回答缺少文档的第 {0} 部分（共 {1} 部分）：{2}</translation>
    </message>
    <message>
        <source>Passages</source>
        <translation>段落</translation>
    </message>
    <message>
        <source>Passages found: {0}; sentences in them: {1}.</source>
        <translation>找到的段落：{0}；其中的句子：{1}。</translation>
    </message>
    <message>
        <source>Passages per search</source>
        <translation>每次搜索的段落数</translation>
    </message>
    <message>
        <source>Passages read</source>
        <translation>已读段落</translation>
    </message>
    <message>
        <source>Passages that show the structure: {0}.</source>
        <translation>显示结构的段落：{0}。</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>Password or API key</source>
        <translation>密码或 API 密钥</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>Pictures of the cited pages</source>
        <translation>引用页面的图片</translation>
    </message>
    <message>
        <source>Pin</source>
        <translation>置顶</translation>
    </message>
    <message>
        <source>Pin or unpin</source>
        <translation>置顶或取消置顶</translation>
    </message>
    <message>
        <source>Pinned ones stay at the top of the list</source>
        <translation>置顶的会话留在列表顶部</translation>
    </message>
    <message>
        <source>Place</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Place the cursor between two words of the passage.</source>
        <translation>请把光标放在段落的两个词之间。</translation>
    </message>
    <message>
        <source>Placing the passages</source>
        <translation>正在排布段落</translation>
    </message>
    <message>
        <source>Plain text with footnotes, for notes and wikis.</source>
        <translation>带脚注的纯文本，适合笔记和 Wiki。</translation>
    </message>
    <message>
        <source>Plan answers</source>
        <translation>先列计划再回答</translation>
    </message>
    <message>
        <source>Plan first</source>
        <translation>先列计划</translation>
    </message>
    <message>
        <source>Plan of {n} step · {time}</source>
        <comment>Plan of {n} steps · {time}</comment>
        <translation>{n} 步计划 · {time}</translation>
    </message>
    <message>
        <source>Plan of {n} steps</source>
        <translation>{n} 步计划</translation>
    </message>
    <message>
        <source>Plan: {title}</source>
        <translation>计划：{title}</translation>
    </message>
    <message>
        <source>Planning</source>
        <translation>计划</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Please report it; the log says more.</source>
        <translation>请报告此问题；详情见日志。</translation>
    </message>
    <message>
        <source>Plug-in files</source>
        <translation>插件文件</translation>
    </message>
    <message>
        <source>Port {0} of this computer cannot be used: {1}.</source>
        <translation>无法使用本机的端口 {0}：{1}。</translation>
    </message>
    <message>
        <source>PostgreSQL needs a package that is not installed.</source>
        <translation>PostgreSQL 需要一个尚未安装的软件包。</translation>
    </message>
    <message>
        <source>Preference</source>
        <translation>偏好</translation>
    </message>
    <message>
        <source>Preparing the embedding model “{0}” ended unexpectedly (code {1}).</source>
        <translation>准备嵌入模型“{0}”时意外终止（代码 {1}）。</translation>
    </message>
    <message>
        <source>Press Down for a menu with more views of the page</source>
        <translation>按向下键可打开更多页面视图选项的菜单</translation>
    </message>
    <message>
        <source>Previous difference</source>
        <translation>上一处差异</translation>
    </message>
    <message>
        <source>Previous page</source>
        <translation>上一页</translation>
    </message>
    <message>
        <source>Previous pane</source>
        <translation>上一个窗格</translation>
    </message>
    <message>
        <source>Previous place (Shift+Enter)</source>
        <translation>上一处 (Shift+Enter)</translation>
    </message>
    <message>
        <source>Previous place found</source>
        <translation>上一处匹配</translation>
    </message>
    <message>
        <source>Previous session</source>
        <translation>上一个会话</translation>
    </message>
    <message>
        <source>Price of a million tokens read</source>
        <translation>每百万输入 token 的价格</translation>
    </message>
    <message>
        <source>Price of a million tokens written</source>
        <translation>每百万输出 token 的价格</translation>
    </message>
    <message>
        <source>Price of a million tokens: read</source>
        <translation>每百万 token 的价格：输入</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Progress of the change</source>
        <translation>更换进度</translation>
    </message>
    <message>
        <source>Progress of the evaluation</source>
        <translation>评测进度</translation>
    </message>
    <message>
        <source>Progress of the installation</source>
        <translation>安装进度</translation>
    </message>
    <message>
        <source>Prompt</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>Prompts ({n})</source>
        <translation>提示词（{n}）</translation>
    </message>
    <message>
        <source>Put a backup in its place, or let the program add them again: “Check the library…”, or “workbench repair”.</source>
        <translation>请用备份替换它，或让程序重新添加这些文件：“检查文档库…”或“workbench repair”。</translation>
    </message>
    <message>
        <source>Put a backup in its place: “Check the library…”, or “workbench repair”; or choose another library folder.</source>
        <translation>请用备份替换它：“检查文档库…”或“workbench repair”；也可以选择别的文档库文件夹。</translation>
    </message>
    <message>
        <source>Put it into {0}.</source>
        <translation>请把它放入 {0}。</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Query: {query}, {ms:.1f} ms, {n} hits</source>
        <translation>查询：{query}，{ms:.1f} 毫秒，{n} 条命中</translation>
    </message>
    <message>
        <source>Question</source>
        <translation>提问</translation>
    </message>
    <message>
        <source>Question for every passage</source>
        <translation>对每个段落的问题</translation>
    </message>
    <message>
        <source>Question {n}</source>
        <translation>问题 {n}</translation>
    </message>
    <message>
        <source>Question {n}: {question}</source>
        <translation>问题 {n}：{question}</translation>
    </message>
    <message>
        <source>Question, passages and conversation together are too long for the model.</source>
        <translation>问题、段落和对话合起来太长，超出了模型的上限。</translation>
    </message>
    <message>
        <source>Question: {question}</source>
        <translation>问题：{question}</translation>
    </message>
    <message>
        <source>Questions</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Questions and found passages go to {hosts}</source>
        <translation>问题和找到的段落会发往 {hosts}</translation>
    </message>
    <message>
        <source>Questions and found passages go to {hosts}; tools may send more</source>
        <translation>问题和找到的段落会发往 {hosts}；工具可能发送更多</translation>
    </message>
    <message>
        <source>Questions of the evaluation</source>
        <translation>评测中的问题</translation>
    </message>
    <message>
        <source>Questions, answers and the cited passages</source>
        <translation>问题、回答和引用的段落</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Quote: {quote}. {place}. Press Enter to show the passage.</source>
        <translation>引文：{quote}。{place}。按 Enter 显示段落。</translation>
    </message>
    <message>
        <source>Quotes discarded because their passage does not contain them: {n:,}</source>
        <translation>因不在原段落中而弃用的引文：{n:,} 条</translation>
    </message>
    <message>
        <source>RTF</source>
        <translation>RTF</translation>
    </message>
    <message>
        <source>Raise the memory limit per file in the settings, or divide the file.</source>
        <translation>请在设置中调高每个文件的内存上限，或拆分该文件。</translation>
    </message>
    <message>
        <source>Raise the size limit of pages in the settings, or save it in the browser and add the file.</source>
        <translation>请在设置中调高网页的大小限制，或在浏览器中保存后添加该文件。</translation>
    </message>
    <message>
        <source>Raise “Passages per search” in the settings to {0}: then it is among them.</source>
        <translation>把设置中的“每次搜索的段落数”提高到 {0}，它就会在其中。</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>名次</translation>
    </message>
    <message>
        <source>Ranks before and after</source>
        <translation>前后名次</translation>
    </message>
    <message>
        <source>Re-index</source>
        <translation>重新索引</translation>
    </message>
    <message>
        <source>Read again</source>
        <translation>重新读取</translation>
    </message>
    <message>
        <source>Read by an older version of the program</source>
        <translation>由旧版程序读取</translation>
    </message>
    <message>
        <source>Read document</source>
        <translation>阅读文档</translation>
    </message>
    <message>
        <source>Read everything</source>
        <translation>通读全部</translation>
    </message>
    <message>
        <source>Read everything…</source>
        <translation>通读全部…</translation>
    </message>
    <message>
        <source>Read first</source>
        <translation>优先读取</translation>
    </message>
    <message>
        <source>Read the structure of the documents</source>
        <translation>读取文档结构</translation>
    </message>
    <message>
        <source>Read unreadable ones again</source>
        <translation>重读无法读取的</translation>
    </message>
    <message>
        <source>Read what cannot be searched yet before anything else</source>
        <translation>优先读取尚无法搜索的内容</translation>
    </message>
    <message>
        <source>Read {passages}, {documents}</source>
        <translation>已读 {passages}、{documents}</translation>
    </message>
    <message>
        <source>Read {passages}, {documents}, {n:,} unreadable</source>
        <translation>已读 {passages}、{documents}，{n:,} 个无法读取</translation>
    </message>
    <message>
        <source>Reading by OCR: {n:,} of {total:,} done</source>
        <translation>正在用 OCR 识别：已完成 {n:,}/{total:,}</translation>
    </message>
    <message>
        <source>Reading it again may find more: headings, tables, pages.</source>
        <translation>重新读取可能会找到更多标题、表格和页。</translation>
    </message>
    <message>
        <source>Reading its passages…</source>
        <translation>正在读取段落…</translation>
    </message>
    <message>
        <source>Reading page {page:,} of {pages:,} by OCR</source>
        <translation>正在用 OCR 识别第 {page:,} 页，共 {pages:,} 页</translation>
    </message>
    <message>
        <source>Reading the file made no progress for {0}.</source>
        <translation>读取文件在 {0}内没有进展。</translation>
    </message>
    <message>
        <source>Reading the file took more than {0} megabytes of memory.</source>
        <translation>读取文件占用的内存超过 {0} MB。</translation>
    </message>
    <message>
        <source>Reading the session</source>
        <translation>正在读取会话</translation>
    </message>
    <message>
        <source>Reading them took too long or crashed.</source>
        <translation>读取时间过长，或读取程序崩溃。</translation>
    </message>
    <message>
        <source>Reading this file crashed the worker several times.</source>
        <translation>读取此文件时，处理进程多次崩溃。</translation>
    </message>
    <message>
        <source>Reading vectors</source>
        <translation>正在读取向量</translation>
    </message>
    <message>
        <source>Reading stopped here to leave enough time and tokens for the answer.</source>
        <translation>阅读到此为止，以便为回答留出足够的时间和 token 数。</translation>
    </message>
    <message>
        <source>Reading {0} files (.{1}) needs LibreOffice, which is not installed.</source>
        <translation>读取{0}文件（.{1}）需要 LibreOffice，但没有安装。</translation>
    </message>
    <message>
        <source>Readings</source>
        <translation>通读列表</translation>
    </message>
    <message>
        <source>Readings are not exported as “{0}”.</source>
        <translation>通读结果不能导出为“{0}”。</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>重做</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>减少动画</translation>
    </message>
    <message>
        <source>Reference material</source>
        <translation>参考资料</translation>
    </message>
    <message>
        <source>Regions</source>
        <translation>区域</translation>
    </message>
    <message>
        <source>Regions of the map</source>
        <translation>地图的区域</translation>
    </message>
    <message>
        <source>Release feed</source>
        <translation>发布信息源</translation>
    </message>
    <message>
        <source>Relevance</source>
        <translation>相关度</translation>
    </message>
    <message>
        <source>Remark</source>
        <translation>旁白</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>移除</translation>
    </message>
    <message>
        <source>Remove another agent.</source>
        <translation>请移除别的智能体。</translation>
    </message>
    <message>
        <source>Remove another profile.</source>
        <translation>请移除别的配置。</translation>
    </message>
    <message>
        <source>Remove it and evaluate again.</source>
        <translation>请移除它并重新评测。</translation>
    </message>
    <message>
        <source>Remove knowledge base</source>
        <translation>移除知识库</translation>
    </message>
    <message>
        <source>Remove knowledge base…</source>
        <translation>移除知识库…</translation>
    </message>
    <message>
        <source>Remove one of the two.</source>
        <translation>请移除其中一个。</translation>
    </message>
    <message>
        <source>Remove the documents in it instead.</source>
        <translation>请改为移除其中的文档。</translation>
    </message>
    <message>
        <source>Remove the selection</source>
        <translation>移除所选</translation>
    </message>
    <message>
        <source>Remove “{base}” with {n:,} document?</source>
        <comment>Remove “{base}” with {n:,} documents?</comment>
        <translation>移除“{base}”及其 {n:,} 个文档？</translation>
    </message>
    <message>
        <source>Remove “{name}”…</source>
        <translation>移除“{name}”…</translation>
    </message>
    <message>
        <source>Removed a question</source>
        <translation>已移除 1 个问题</translation>
    </message>
    <message>
        <source>Removed documents</source>
        <translation>已移除的文档</translation>
    </message>
    <message>
        <source>Removed the evaluation</source>
        <translation>已移除评测</translation>
    </message>
    <message>
        <source>Removed {ago}</source>
        <translation>{ago}移除</translation>
    </message>
    <message>
        <source>Removed {n:,} document</source>
        <comment>Removed {n:,} documents</comment>
        <translation>已移除 {n:,} 个文档</translation>
    </message>
    <message>
        <source>Removed {n:,} question</source>
        <comment>Removed {n:,} questions</comment>
        <translation>已移除 {n:,} 个问题</translation>
    </message>
    <message>
        <source>Removed {named}</source>
        <translation>已移除{named}</translation>
    </message>
    <message>
        <source>Removed “{name}” with {n:,} document</source>
        <comment>Removed “{name}” with {n:,} documents</comment>
        <translation>已移除“{name}”及其 {n:,} 个文档</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename knowledge base</source>
        <translation>重命名知识库</translation>
    </message>
    <message>
        <source>Rename knowledge base…</source>
        <translation>重命名知识库…</translation>
    </message>
    <message>
        <source>Rename “{name}”…</source>
        <translation>重命名“{name}”…</translation>
    </message>
    <message>
        <source>Rename, export or delete this reading</source>
        <translation>重命名、导出或删除这次通读</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Replace it?</source>
        <translation>替换？</translation>
    </message>
    <message>
        <source>Replay the answer</source>
        <translation>重放回答</translation>
    </message>
    <message>
        <source>Reranked</source>
        <translation>重排后</translation>
    </message>
    <message>
        <source>Reranking</source>
        <translation>重排</translation>
    </message>
    <message>
        <source>Reranking model</source>
        <translation>重排模型</translation>
    </message>
    <message>
        <source>Reranking server</source>
        <translation>重排服务器</translation>
    </message>
    <message>
        <source>Reranking three sentences…</source>
        <translation>正在重排三句话…</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Reset it to the default.</source>
        <translation>请将它恢复为默认值。</translation>
    </message>
    <message>
        <source>Reset this page</source>
        <translation>恢复此页的默认值</translation>
    </message>
    <message>
        <source>Reset to the original</source>
        <translation>恢复原文</translation>
    </message>
    <message>
        <source>Reset “{title}” to its default</source>
        <translation>将“{title}”恢复为默认值</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Result of a tool</source>
        <translation>工具结果</translation>
    </message>
    <message>
        <source>Result of the evaluation</source>
        <translation>评测结果</translation>
    </message>
    <message>
        <source>Results per web search</source>
        <translation>每次网络搜索的结果数</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Retrieved context</source>
        <translation>检索到的内容</translation>
    </message>
    <message>
        <source>Retrievers</source>
        <translation>检索器</translation>
    </message>
    <message>
        <source>Retrievers and plug-ins</source>
        <translation>检索器和插件</translation>
    </message>
    <message>
        <source>Retrievers and plug-ins…</source>
        <translation>检索器和插件…</translation>
    </message>
    <message>
        <source>Reverse order</source>
        <translation>倒序</translation>
    </message>
    <message>
        <source>Right answer</source>
        <translation>右侧回答</translation>
    </message>
    <message>
        <source>Right for this question</source>
        <translation>适合这个问题</translation>
    </message>
    <message>
        <source>Role</source>
        <translation>角色</translation>
    </message>
    <message>
        <source>Rounds per answer</source>
        <translation>每次回答的轮数</translation>
    </message>
    <message>
        <source>Rows and columns may be mixed up.</source>
        <translation>行与列可能错乱。</translation>
    </message>
    <message>
        <source>Rows per database query</source>
        <translation>每次数据库查询的行数</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run again</source>
        <translation>再次运行</translation>
    </message>
    <message>
        <source>Run the query again.</source>
        <translation>请重新运行查询。</translation>
    </message>
    <message>
        <source>Run this in a terminal to see why: {0}</source>
        <translation>可在终端中运行以下命令查看原因：{0}</translation>
    </message>
    <message>
        <source>SHA-256: {hash}</source>
        <translation>SHA-256：{hash}</translation>
    </message>
    <message>
        <source>The response from {0} cannot be used: {1}.</source>
        <translation>{0} 的响应无法使用：{1}。</translation>
    </message>
    <message>
        <source>The response from {0} is not JSON.</source>
        <translation>{0} 的响应不是 JSON。</translation>
    </message>
    <message>
        <source>The response from {0} is too long.</source>
        <translation>{0} 的响应过长。</translation>
    </message>
    <message>
        <source>The retriever “{0}” cannot be used. {1}</source>
        <translation>无法使用检索器“{0}”。{1}</translation>
    </message>
    <message>
        <source>The retriever “{0}” is still busy with earlier questions that were stopped.</source>
        <translation>检索器“{0}”仍在处理先前已停止的问题。</translation>
    </message>
    <message>
        <source>The retriever “{0}” was not used: its plug-in file {1} has changed or is not allowed.</source>
        <translation>未使用检索器“{0}”：它的插件文件 {1} 已更改，或未获允许。</translation>
    </message>
    <message>
        <source>The search index belongs to another embedding model.</source>
        <translation>搜索索引属于另一个嵌入模型。</translation>
    </message>
    <message>
        <source>The server did not say whether the answer is complete; it is kept as received.</source>
        <translation>服务器没有说明回答是否完整；已按收到的内容保存。</translation>
    </message>
    <message>
        <source>The settings stored as “{0}” cannot be read.</source>
        <translation>无法读取以“{0}”保存的设置。</translation>
    </message>
    <message>
        <source>The system does not report changes in this folder, so it is checked every 30 seconds.</source>
        <translation>系统不会报告此文件夹中的变化，因此每 30 秒检查一次。</translation>
    </message>
    <message>
        <source>The text of “{0}” is missing.</source>
        <translation>缺少“{0}”的文本。</translation>
    </message>
    <message>
        <source>The text read from “{0}” does not contain these words.</source>
        <translation>从“{0}”读到的文字中没有这些词。</translation>
    </message>
    <message>
        <source>The text stored in the file differs from the text that is shown.</source>
        <translation>文件中保存的文字与页面上显示的文字不一致。</translation>
    </message>
    <message>
        <source>The text to find is longer than {0} characters: search for a part of it.</source>
        <translation>要查找的文字超过 {0} 个字符：请只查找其中一部分。</translation>
    </message>
    <message>
        <source>The token of the tool server “{0}” contains spaces or characters that tokens never contain.</source>
        <translation>工具服务器“{0}”的令牌含有空格，或含有令牌中不会出现的字符。</translation>
    </message>
    <message>
        <source>The tool server “{0}” is not allowed: it connects to {1} and sends it the value of {2}.</source>
        <translation>工具服务器“{0}”未获允许：它会连接 {1}，并向其发送 {2} 的值。</translation>
    </message>
    <message>
        <source>The value of “right” in a judgement is neither true nor false.</source>
        <translation>某条评判中“right”的值既不是 true 也不是 false。</translation>
    </message>
    <message>
        <source>The vectors of the shared library “{0}” come from another version of the model.</source>
        <translation>共享文档库“{0}”的向量来自另一版本的模型。</translation>
    </message>
    <message>
        <source>The window that has the library open has not responded for {0} seconds.</source>
        <translation>打开该文档库的窗口已有 {0} 秒没有响应。</translation>
    </message>
    <message>
        <source>The workspace is gone; its agents stay as they were imported.</source>
        <translation>工作区已不存在；其中的智能体保持导入时的样子。</translation>
    </message>
    <message>
        <source>There are too many folders of damaged files to name another one.</source>
        <translation>存放损坏文件的文件夹太多，无法再命名新的文件夹。</translation>
    </message>
    <message>
        <source>There is no access right “{0}”.</source>
        <translation>没有名为“{0}”的权限。</translation>
    </message>
    <message>
        <source>There is no answer number {0}.</source>
        <translation>没有编号为 {0} 的回答。</translation>
    </message>
    <message>
        <source>There is no set of golden questions “{0}”.</source>
        <translation>没有名为“{0}”的一组评测问题。</translation>
    </message>
    <message>
        <source>There is no text here.</source>
        <translation>这里没有文字。</translation>
    </message>
    <message>
        <source>There is nothing to find: give the words to find.</source>
        <translation>没有要查找的内容：请给出要查找的词语。</translation>
    </message>
    <message>
        <source>There is nothing to look for: say what the table or list contains.</source>
        <translation>没有要查找的内容：请说明表格或列表包含什么。</translation>
    </message>
    <message>
        <source>There is nothing to save: give the text to save.</source>
        <translation>没有要保存的内容：请给出要保存的文字。</translation>
    </message>
    <message>
        <source>They stay as they are now; a backup may contain the original.</source>
        <translation>它们会保持现状；备份中可能有原来的内容。</translation>
    </message>
    <message>
        <source>This folder&apos;s name cannot be an agent&apos;s name: use lower-case letters, digits, _ and - only, at most 64.</source>
        <translation>此文件夹名不能用作智能体名：只能使用小写字母、数字、_ 和 -，最多 64 个字符。</translation>
    </message>
    <message>
        <source>This is too much to send at once to the program that has the library open.</source>
        <translation>内容过多，无法一次发送给打开该文档库的程序。</translation>
    </message>
    <message>
        <source>This link will not be opened.</source>
        <translation>不会打开此链接。</translation>
    </message>
    <message>
        <source>This passage has been changed again since then.</source>
        <translation>这个段落此后又有更改。</translation>
    </message>
    <message>
        <source>This reading has not started yet.</source>
        <translation>这次通读还没有开始。</translation>
    </message>
    <message>
        <source>This search is no longer waiting for your selection.</source>
        <translation>这次搜索已不再等待你挑选段落。</translation>
    </message>
    <message>
        <source>This tool call is no longer waiting for approval.</source>
        <translation>这次工具调用已不再等待批准。</translation>
    </message>
    <message>
        <source>Unpack it and add the folder. Only ZIP archives can be opened.</source>
        <translation>请解压后添加文件夹。只能打开 ZIP 压缩包。</translation>
    </message>
    <message>
        <source>Unpacked, the file is larger than {0} megabytes: it may have been made to fill the memory.</source>
        <translation>解压后文件超过 {0} MB：它可能是为占满内存而制作的。</translation>
    </message>
    <message>
        <source>Use it inside the “with” block that opens it.</source>
        <translation>请在打开它的“with”代码块之内使用。</translation>
    </message>
    <message>
        <source>Use letters from a to z, digits and “-”, at most 32: the names of its tools contain this name.</source>
        <translation>请用小写字母 a 到 z、数字和“-”，最多 32 个：其工具的名称会包含此名称。</translation>
    </message>
    <message>
        <source>Use “Add from database” to add rows from it.</source>
        <translation>请用“从数据库添加”添加其中的行。</translation>
    </message>
    <message>
        <source>Web pages and models are downloaded when you ask for them. Nothing else is set up to be sent.</source>
        <translation>只有在你要求时才会下载网页和模型；没有设置其他要发送的内容。</translation>
    </message>
    <message>
        <source>Write an e-mail</source>
        <translation>写邮件</translation>
    </message>
    <message>
        <source>Write one after it, for example format:pdf or year:2024.</source>
        <translation>请在后面写上值，例如 format:pdf 或 year:2024。</translation>
    </message>
    <message>
        <source>Written next to tool calls; not part of the answer</source>
        <translation>与工具调用一同写出，不属于回答</translation>
    </message>
    <message>
        <source>Same content as “{0}”.</source>
        <translation>与“{0}”内容相同。</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Save (Ctrl+Enter)</source>
        <translation>保存 (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Save a note, allow a tool call</source>
        <translation>保存笔记、允许工具调用</translation>
    </message>
    <message>
        <source>Save it again in a smaller size.</source>
        <translation>请缩小后重新保存。</translation>
    </message>
    <message>
        <source>Save it and add it by itself.</source>
        <translation>请保存后单独添加。</translation>
    </message>
    <message>
        <source>Save it as CSV.</source>
        <translation>请把它保存为 CSV。</translation>
    </message>
    <message>
        <source>Save the message again in the mail program.</source>
        <translation>请在邮件程序中重新保存该邮件。</translation>
    </message>
    <message>
        <source>Save the problem report</source>
        <translation>保存问题报告</translation>
    </message>
    <message>
        <source>Saved.</source>
        <translation>已保存。</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Say what to search for.</source>
        <translation>请说明要搜索什么。</translation>
    </message>
    <message>
        <source>Scans and tables</source>
        <translation>扫描件与表格</translation>
    </message>
    <message>
        <source>Score {score:.3f}.</source>
        <translation>得分 {score:.3f}。</translation>
    </message>
    <message>
        <source>Scores</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>Scores of the hits, step by step</source>
        <translation>各步骤的命中得分</translation>
    </message>
    <message>
        <source>Scripts of a web page</source>
        <translation>网页脚本</translation>
    </message>
    <message>
        <source>Scripts of a web page are run by an installed browser on request.</source>
        <translation>需要时，网页脚本由已安装的浏览器运行。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search again.</source>
        <translation>请重新搜索。</translation>
    </message>
    <message>
        <source>Search by knowledge base</source>
        <translation>按知识库设置搜索</translation>
    </message>
    <message>
        <source>Search only part of the library</source>
        <translation>只搜索文档库的一部分</translation>
    </message>
    <message>
        <source>Search settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Search the documents</source>
        <translation>搜索文档</translation>
    </message>
    <message>
        <source>Search without this limit.</source>
        <translation>请去掉这个限制再搜索。</translation>
    </message>
    <message>
        <source>Searchable by keyword</source>
        <translation>可按关键词搜索</translation>
    </message>
    <message>
        <source>Searched</source>
        <translation>参与搜索</translation>
    </message>
    <message>
        <source>Searched for {queries}; no passage matched.</source>
        <translation>已搜索 {queries}；没有匹配的段落。</translation>
    </message>
    <message>
        <source>Searched the only document</source>
        <translation>已搜索唯一的文档</translation>
    </message>
    <message>
        <source>Searches</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Searches ({n})</source>
        <translation>搜索（{n}）</translation>
    </message>
    <message>
        <source>Searches 1 document with 1 passage.</source>
        <translation>搜索 1 个文档，共 1 个段落。</translation>
    </message>
    <message>
        <source>Searches 1 document with {0} passages.</source>
        <translation>搜索 1 个文档，共 {0} 个段落。</translation>
    </message>
    <message>
        <source>Searches {0} documents with 1 passage.</source>
        <translation>搜索 {0} 个文档，共 1 个段落。</translation>
    </message>
    <message>
        <source>Searches {0} documents with {1} passages.</source>
        <translation>搜索 {0} 个文档，共 {1} 个段落。</translation>
    </message>
    <message>
        <source>Seconds per answer</source>
        <translation>每次回答的秒数</translation>
    </message>
    <message>
        <source>Send</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Send (Enter)</source>
        <translation>发送 (Enter)</translation>
    </message>
    <message>
        <source>Send the question</source>
        <translation>发送问题</translation>
    </message>
    <message>
        <source>Sends the name of the place to the weather service (Open-Meteo).</source>
        <translation>将地名发送给天气服务（Open-Meteo）。</translation>
    </message>
    <message>
        <source>Sends the query to {0}.</source>
        <translation>将搜索词发送给 {0}。</translation>
    </message>
    <message>
        <source>Sent</source>
        <translation>发送</translation>
    </message>
    <message>
        <source>Sent to {host}</source>
        <translation>已发送到 {host}</translation>
    </message>
    <message>
        <source>Sent {sent}, received {received}</source>
        <translation>发送 {sent}，接收 {received}</translation>
    </message>
    <message>
        <source>Server</source>
        <translation>服务器</translation>
    </message>
    <message>
        <source>Session</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Session state</source>
        <translation>会话状态</translation>
    </message>
    <message>
        <source>Sessions</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>Sessions (*{bundle} *.json);;All files (*)</source>
        <translation>会话 (*{bundle} *.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Sessions and answers</source>
        <translation>会话和回答</translation>
    </message>
    <message>
        <source>Sessions as PDF, Word, web page, Markdown or bundle</source>
        <translation>把会话存为 PDF、Word、网页、Markdown 或归档包</translation>
    </message>
    <message>
        <source>Sessions cannot be exported as “{0}”.</source>
        <translation>会话无法导出为“{0}”。</translation>
    </message>
    <message>
        <source>Sessions to export</source>
        <translation>要导出的会话</translation>
    </message>
    <message>
        <source>Set it before starting the program, or store the key in the profile.</source>
        <translation>请在启动程序前设置它，或把密钥存在配置中。</translation>
    </message>
    <message>
        <source>Set it before starting the program.</source>
        <translation>请在启动程序之前设置它。</translation>
    </message>
    <message>
        <source>Set of golden questions</source>
        <translation>评测问题集</translation>
    </message>
    <message>
        <source>Set “web_search_url” first.</source>
        <translation>请先设置“web_search_url”。</translation>
    </message>
    <message>
        <source>Setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings…</source>
        <translation>设置…</translation>
    </message>
    <message>
        <source>Shorten it, or split it.</source>
        <translation>请缩短或拆分。</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>显示全部</translation>
    </message>
    <message>
        <source>Show passages</source>
        <translation>显示段落</translation>
    </message>
    <message>
        <source>Show details</source>
        <translation>显示详情</translation>
    </message>
    <message>
        <source>Show every passage on the page</source>
        <translation>显示页上所有段落</translation>
    </message>
    <message>
        <source>Show in document</source>
        <translation>在文档中显示</translation>
    </message>
    <message>
        <source>Show its hits</source>
        <translation>显示其命中</translation>
    </message>
    <message>
        <source>Show or hide the archived sessions</source>
        <translation>显示或隐藏已归档的会话</translation>
    </message>
    <message>
        <source>Show or hide the details</source>
        <translation>显示或隐藏详细信息</translation>
    </message>
    <message>
        <source>Show or hide the lists</source>
        <translation>显示或隐藏列表</translation>
    </message>
    <message>
        <source>Show or hide {name}</source>
        <translation>显示或隐藏{name}</translation>
    </message>
    <message>
        <source>Show the details of all steps</source>
        <translation>展开所有步骤的详情</translation>
    </message>
    <message>
        <source>Show the details of “{title}”</source>
        <translation>展开“{title}”的详情</translation>
    </message>
    <message>
        <source>Show the passage</source>
        <translation>显示段落</translation>
    </message>
    <message>
        <source>Show the passages that were sent</source>
        <translation>显示随之发送的段落</translation>
    </message>
    <message>
        <source>Show the question and its hits</source>
        <translation>显示问题和命中</translation>
    </message>
    <message>
        <source>Show the whole map</source>
        <translation>显示整张地图</translation>
    </message>
    <message>
        <source>Show the whole map (0)</source>
        <translation>显示整张地图 (0)</translation>
    </message>
    <message>
        <source>Preview the citation</source>
        <translation>显示引用内容</translation>
    </message>
    <message>
        <source>Show what was sent to the model</source>
        <translation>查看发给模型的内容</translation>
    </message>
    <message>
        <source>Show {name}</source>
        <translation>显示{name}</translation>
    </message>
    <message>
        <source>Single letters can be wrong.</source>
        <translation>个别字可能有误。</translation>
    </message>
    <message>
        <source>Size limit per web page</source>
        <translation>每个网页的大小上限</translation>
    </message>
    <message>
        <source>Smaller page</source>
        <translation>缩小页面</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Some passages of “{0}” are not there.</source>
        <translation>“{0}”的一些段落已不存在。</translation>
    </message>
    <message>
        <source>Some passages of “{0}” are not in its text.</source>
        <translation>“{0}”的一些段落不在其文本中。</translation>
    </message>
    <message>
        <source>The connection may be intercepted, or the server is set up wrongly; the page was not fetched.</source>
        <translation>连接可能被截获，或服务器配置有误；没有获取该网页。</translation>
    </message>
    <message>
        <source>Something in the library is not as it should be. Nothing was changed.</source>
        <translation>文档库中有些内容不正常。没有更改任何内容。</translation>
    </message>
    <message>
        <source>A reading is already running: wait for it, or stop it.</source>
        <translation>已经在通读：请等待其完成，或将其停止。</translation>
    </message>
    <message>
        <source>Something is missing</source>
        <translation>缺少内容</translation>
    </message>
    <message>
        <source>Something went wrong inside the program.</source>
        <translation>程序内部出错了。</translation>
    </message>
    <message>
        <source>Source code</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>Source {n}: {place}</source>
        <translation>来源 {n}：{place}</translation>
    </message>
    <message>
        <source>Source {source} of question {question}</source>
        <translation>问题 {question} 的来源 {source}</translation>
    </message>
    <message>
        <source>Sources</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>Split</source>
        <translation>已拆分</translation>
    </message>
    <message>
        <source>Split here</source>
        <translation>在此拆分</translation>
    </message>
    <message>
        <source>Split into {0}</source>
        <translation>拆分为 {0} 段</translation>
    </message>
    <message>
        <source>Split…</source>
        <translation>拆分…</translation>
    </message>
    <message>
        <source>Start a new session, lower “Passages per search”, or give the model more context on its server.</source>
        <translation>请新建会话，调低“每次搜索的段落数”，或在服务器上给模型更大的上下文。</translation>
    </message>
    <message>
        <source>Start reading</source>
        <translation>开始通读</translation>
    </message>
    <message>
        <source>Start the program again.</source>
        <translation>请重新启动程序。</translation>
    </message>
    <message>
        <source>Start the program as an ordinary user, or add the page without its scripts.</source>
        <translation>请以普通用户启动本程序，或在添加网页时不运行脚本。</translation>
    </message>
    <message>
        <source>Start this program again.</source>
        <translation>请重新启动本程序。</translation>
    </message>
    <message>
        <source>Starting…</source>
        <translation>正在开始…</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Keep the current model</source>
        <translation>保留当前模型</translation>
    </message>
    <message>
        <source>Step of the answer</source>
        <translation>回答的步骤</translation>
    </message>
    <message>
        <source>Step {0}</source>
        <translation>步骤 {0}</translation>
    </message>
    <message>
        <source>Step {0} came before the model was asked for its answer: no answer can continue from it.</source>
        <translation>第 {0} 步在请模型作答之前，不能从此处继续回答。</translation>
    </message>
    <message>
        <source>Step {0} is not the result of a tool.</source>
        <translation>第 {0} 步不是工具的结果。</translation>
    </message>
    <message>
        <source>Step {n}</source>
        <translation>步骤 {n}</translation>
    </message>
    <message>
        <source>Step {n}: {step}</source>
        <translation>步骤 {n}：{step}</translation>
    </message>
    <message>
        <source>Step {n}: {step}. {state}</source>
        <translation>步骤 {n}：{step}。{state}</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>Steps ({n})</source>
        <translation>步骤（{n}）</translation>
    </message>
    <message>
        <source>Steps per plan</source>
        <translation>每个计划的步骤数</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop (Esc)</source>
        <translation>停止 (Esc)</translation>
    </message>
    <message>
        <source>Stop it first.</source>
        <translation>请先停止。</translation>
    </message>
    <message>
        <source>Stop the answer</source>
        <translation>停止回答</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Stopped. {n:,} source.</source>
        <comment>Stopped. {n:,} sources.</comment>
        <translation>已停止。{n:,} 个来源。</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Strong match</source>
        <translation>高度匹配</translation>
    </message>
    <message>
        <source>Supported: “{0}”</source>
        <translation>有依据：“{0}”</translation>
    </message>
    <message>
        <source>Supported: “{0}” – {1}</source>
        <translation>有依据：“{0}”——{1}</translation>
    </message>
    <message>
        <source>Switch back</source>
        <translation>换回</translation>
    </message>
    <message>
        <source>Switch back to {name}</source>
        <translation>换回 {name}</translation>
    </message>
    <message>
        <source>Switch text recognition (OCR) on in the settings and try again.</source>
        <translation>请在设置中打开文字识别（OCR），然后重试。</translation>
    </message>
    <message>
        <source>Switch “Offline mode” off in the settings if this may leave your computer.</source>
        <translation>如果可以发出本机，请在设置中关闭“断网模式”。</translation>
    </message>
    <message>
        <source>System message</source>
        <translation>系统消息</translation>
    </message>
    <message>
        <source>System prompt</source>
        <translation>系统提示词</translation>
    </message>
    <message>
        <source>System prompt, sent as {role}</source>
        <translation>系统提示词，以 {role} 身份发送</translation>
    </message>
    <message>
        <source>Table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Table (*.csv)</source>
        <translation>表格 (*.csv)</translation>
    </message>
    <message>
        <source>Tables read as plain lines on {0}</source>
        <translation>{0}的表格被当作普通文字读取</translation>
    </message>
    <message>
        <source>Tags</source>
        <translation>标签</translation>
    </message>
    <message>
        <source>Tags changed</source>
        <translation>已更改标签</translation>
    </message>
    <message>
        <source>Tags in use</source>
        <translation>已有标签</translation>
    </message>
    <message>
        <source>Tags of passage {n}</source>
        <translation>段落 {n} 的标签</translation>
    </message>
    <message>
        <source>Tags of the passage</source>
        <translation>段落的标签</translation>
    </message>
    <message>
        <source>Tags of {n:,} document</source>
        <comment>Tags of {n:,} documents</comment>
        <translation>{n:,} 个文档的标签</translation>
    </message>
    <message>
        <source>Tags of “{name}”</source>
        <translation>“{name}”的标签</translation>
    </message>
    <message>
        <source>Tags: {tags}</source>
        <translation>标签：{tags}</translation>
    </message>
    <message>
        <source>Tags…</source>
        <translation>标签…</translation>
    </message>
    <message>
        <source>Restore it from the bin: “File › Bin…”, or “workbench bin --restore”.</source>
        <translation>请把它从回收站中恢复：“文件 › 回收站…”，或“workbench bin --restore”。</translation>
    </message>
    <message>
        <source>Take it out.</source>
        <translation>请去掉它。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Tells the model what day it is, and how far dates are apart.</source>
        <translation>告诉模型今天的日期，以及日期之间的间隔。</translation>
    </message>
    <message>
        <source>Tells the model which documents there are, within the chosen knowledge base and filter.</source>
        <translation>告诉模型所选知识库和筛选范围内有哪些文档。</translation>
    </message>
    <message>
        <source>Tesseract cannot read “{0}” here.</source>
        <translation>这里的 Tesseract 不能识别“{0}”。</translation>
    </message>
    <message>
        <source>Tesseract failed.</source>
        <translation>Tesseract 出错。</translation>
    </message>
    <message>
        <source>Tesseract is not installed.</source>
        <translation>没有安装 Tesseract。</translation>
    </message>
    <message>
        <source>Test connection</source>
        <translation>测试连接</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Text edited</source>
        <translation>已编辑文字</translation>
    </message>
    <message>
        <source>Text inside it is not searched.</source>
        <translation>图中的文字不会被搜索到。</translation>
    </message>
    <message>
        <source>Text inside them is not searched.</source>
        <translation>图中的文字不会被搜索到。</translation>
    </message>
    <message>
        <source>Text of the document</source>
        <translation>文档的文字</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>笔记正文</translation>
    </message>
    <message>
        <source>Text of the part</source>
        <translation>该部分的文本</translation>
    </message>
    <message>
        <source>Text of the passage</source>
        <translation>段落的文字</translation>
    </message>
    <message>
        <source>Default text size</source>
        <translation>恢复文字大小</translation>
    </message>
    <message>
        <source>Text recognition (OCR)</source>
        <translation>文字识别（OCR）</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>That is remembered already.</source>
        <translation>这一条已经记住了。</translation>
    </message>
    <message>
        <source>The XPS document is damaged.</source>
        <translation>XPS 文档已损坏。</translation>
    </message>
    <message>
        <source>The address holds a user name or a password, which would be stored with the page.</source>
        <translation>地址中含有用户名或密码，它会随网页一起保存。</translation>
    </message>
    <message>
        <source>The address leads to something that cannot be read ({0}).</source>
        <translation>该地址指向无法读取的内容（{0}）。</translation>
    </message>
    <message>
        <source>The address leads to something that cannot be read.</source>
        <translation>该地址指向无法读取的内容。</translation>
    </message>
    <message>
        <source>The address of Milvus leads to several servers.</source>
        <translation>该 Milvus 地址对应多台服务器。</translation>
    </message>
    <message>
        <source>The address of PostgreSQL cannot be used.</source>
        <translation>无法使用该 PostgreSQL 地址。</translation>
    </message>
    <message>
        <source>The address of a tool server begins with http:// or https://.</source>
        <translation>工具服务器的地址以 http:// 或 https:// 开头。</translation>
    </message>
    <message>
        <source>The address of the encyclopaedia has no {0} in it.</source>
        <translation>百科的地址中没有 {0}。</translation>
    </message>
    <message>
        <source>The address of the release feed has to begin with https://.</source>
        <translation>发布信息源的地址必须以 https:// 开头。</translation>
    </message>
    <message>
        <source>The address of the tool server contains something that looks like a key or a password.</source>
        <translation>工具服务器的地址里有像是密钥或密码的内容。</translation>
    </message>
    <message>
        <source>The address of the vector store is not a valid URL.</source>
        <translation>向量库的地址不是有效的网址。</translation>
    </message>
    <message>
        <source>The address was redirected more than {0} times.</source>
        <translation>地址的转向超过 {0} 次。</translation>
    </message>
    <message>
        <source>The agent is switched off by “enabled: false”.</source>
        <translation>该智能体已被“enabled: false”关闭。</translation>
    </message>
    <message>
        <source>The agent “{0}” does not search “{1}”.</source>
        <translation>智能体“{0}”不搜索“{1}”。</translation>
    </message>
    <message>
        <source>The agent “{0}” searches “{1}”, and there is no such knowledge base.</source>
        <translation>智能体“{0}”要搜索“{1}”，但没有这个知识库。</translation>
    </message>
    <message>
        <source>The agent “{name}” was removed.</source>
        <translation>已移除智能体“{name}”。</translation>
    </message>
    <message>
        <source>The agents are {0}.</source>
        <translation>智能体有：{0}。</translation>
    </message>
    <message>
        <source>Offline mode is off</source>
        <translation>断网模式已关</translation>
    </message>
    <message>
        <source>Offline mode is off: what you ask for may leave this computer.</source>
        <translation>断网模式已关：你要求的内容可能离开本机。</translation>
    </message>
    <message>
        <source>Offline mode is on</source>
        <translation>断网模式已开</translation>
    </message>
    <message>
        <source>Offline mode is on: nothing leaves this computer, for nothing that needs the network is set up.</source>
        <translation>断网模式已开：没有任何内容离开本机，因为还没有设置需要网络的功能。</translation>
    </message>
    <message>
        <source>Offline mode is on: nothing leaves this computer.</source>
        <translation>断网模式已开：没有任何内容离开本机。</translation>
    </message>
    <message>
        <source>Offline mode is on: “{0}” was not asked.</source>
        <translation>断网模式已开：没有连接“{0}”。</translation>
    </message>
    <message>
        <source>Offline mode is on: “{0}” was not started.</source>
        <translation>断网模式已开：没有启动“{0}”。</translation>
    </message>
    <message>
        <source>The answer could not be checked against its sources.</source>
        <translation>无法对照来源核对此回答。</translation>
    </message>
    <message>
        <source>The answer failed because of a fault in this program.</source>
        <translation>由于本程序的故障，回答失败。</translation>
    </message>
    <message>
        <source>The answer failed.</source>
        <translation>回答失败。</translation>
    </message>
    <message>
        <source>The answer may be in documents that could not be searched yet. Ask again when everything has been read.</source>
        <translation>答案可能在尚无法搜索的文档中。请在全部读取后再问一次。</translation>
    </message>
    <message>
        <source>The answer of {0} is not a reranking result: {1}.</source>
        <translation>{0} 的应答不是重排结果：{1}。</translation>
    </message>
    <message>
        <source>The answer was cut off: it reached the maximum length.</source>
        <translation>回答被截断：已达到最大长度。</translation>
    </message>
    <message>
        <source>The answer was stopped before its end.</source>
        <translation>回答未完成就已停止。</translation>
    </message>
    <message>
        <source>The answer went on, or was stopped.</source>
        <translation>回答已继续，或已停止。</translation>
    </message>
    <message>
        <source>The archive holds more than {0} GB.</source>
        <translation>压缩包的内容超过 {0} GB。</translation>
    </message>
    <message>
        <source>The archive holds more than {0} files.</source>
        <translation>压缩包中的文件超过 {0} 个。</translation>
    </message>
    <message>
        <source>The archive “{0}” is damaged and cannot be opened.</source>
        <translation>压缩包“{0}”已损坏，无法打开。</translation>
    </message>
    <message>
        <source>The arguments are not a JSON object.</source>
        <translation>参数不是 JSON 对象。</translation>
    </message>
    <message>
        <source>The arguments of {0} are nested too deeply.</source>
        <translation>{0} 的参数嵌套太深。</translation>
    </message>
    <message>
        <source>The arguments of {0} are not valid JSON: {1}. Call it again.</source>
        <translation>{0} 的参数不是有效的 JSON：{1}。请再调用一次。</translation>
    </message>
    <message>
        <source>The arguments of {0} must be a JSON object.</source>
        <translation>{0} 的参数必须是 JSON 对象。</translation>
    </message>
    <message>
        <source>The backup “{0}” is damaged.</source>
        <translation>备份“{0}”已损坏。</translation>
    </message>
    <message>
        <source>The backup “{0}” was made by a later version of this program.</source>
        <translation>备份“{0}”由本程序的更高版本创建。</translation>
    </message>
    <message>
        <source>The best sentences may or may not answer the question; they are quoted as the closest passages.</source>
        <translation>最相关的句子不一定能回答问题，仅作为最接近的段落引用。</translation>
    </message>
    <message>
        <source>The best sentences fit the question well enough to be quoted.</source>
        <translation>最相关的句子与问题足够吻合，可以引用。</translation>
    </message>
    <message>
        <source>The bin is empty.</source>
        <translation>回收站是空的。</translation>
    </message>
    <message>
        <source>The book holds no chapters.</source>
        <translation>图书中没有章节。</translation>
    </message>
    <message>
        <source>The book holds no text.</source>
        <translation>图书中没有文字。</translation>
    </message>
    <message>
        <source>The book is damaged and cannot be read.</source>
        <translation>图书已损坏，无法读取。</translation>
    </message>
    <message>
        <source>The book is damaged; what could be read was read.</source>
        <translation>图书已损坏；能读的部分已读取。</translation>
    </message>
    <message>
        <source>The book is protected against copying (DRM), and no program but its shop&apos;s can read it.</source>
        <translation>这本书有防复制保护（DRM），只有售书商店的程序能读取。</translation>
    </message>
    <message>
        <source>The browser cannot be started: {0}.</source>
        <translation>无法启动浏览器：{0}。</translation>
    </message>
    <message>
        <source>The browser failed (exit status {0}).</source>
        <translation>浏览器出错（退出状态 {0}）。</translation>
    </message>
    <message>
        <source>The browser showed an empty page.</source>
        <translation>浏览器显示的是空白页。</translation>
    </message>
    <message>
        <source>The built-in embedding model is missing.</source>
        <translation>缺少内置的嵌入模型。</translation>
    </message>
    <message>
        <source>The change was made, but its result cannot be read.</source>
        <translation>更改已完成，但无法读取其结果。</translation>
    </message>
    <message>
        <source>The change was not completed: something went wrong inside the program that has the library open.</source>
        <translation>更改未能完成：打开文档库的程序内部出错了。</translation>
    </message>
    <message>
        <source>The change was stopped in the window.</source>
        <translation>更改已在窗口中被停止。</translation>
    </message>
    <message>
        <source>The changed file could not be read, the earlier version is still searched: {0}</source>
        <translation>无法读取更改后的文件，仍可搜索较早的版本：{0}</translation>
    </message>
    <message>
        <source>The passage size is set to {0} tokens, but the model reads {1}: passages are cut to fit.</source>
        <translation>段落大小设为 {0} 个 token，但模型只能读取 {1} 个：段落会按此切短。</translation>
    </message>
    <message>
        <source>The class {0} cannot be made without arguments. Register an object instead.</source>
        <translation>类 {0} 不带参数无法创建。请改为注册一个对象。</translation>
    </message>
    <message>
        <source>The command of the tool server contains something that looks like a key or a password.</source>
        <translation>工具服务器的命令里有像是密钥或密码的内容。</translation>
    </message>
    <message>
        <source>The connection ended before the first word; the model was asked again.</source>
        <translation>在收到第一个字之前连接就断开了，已重新询问模型。</translation>
    </message>
    <message>
        <source>The connection to {0} ended before the answer did.</source>
        <translation>回答还没结束，与 {0} 的连接就断开了。</translation>
    </message>
    <message>
        <source>The consent could not be stored.</source>
        <translation>许可无法保存。</translation>
    </message>
    <message>
        <source>The context folder is a link and was not read.</source>
        <translation>context 文件夹是链接，未读取。</translation>
    </message>
    <message>
        <source>The damaged copy of the file of “{0}” was moved to quarantine.</source>
        <translation>“{0}”的损坏文件副本已移到隔离区。</translation>
    </message>
    <message>
        <source>The data of {0} has another schema.</source>
        <translation>{0} 中的数据结构与预期不同。</translation>
    </message>
    <message>
        <source>The database does not answer.</source>
        <translation>数据库没有应答。</translation>
    </message>
    <message>
        <source>The database file</source>
        <translation>数据库文件</translation>
    </message>
    <message>
        <source>The database file is damaged: {0}.</source>
        <translation>数据库文件已损坏：{0}。</translation>
    </message>
    <message>
        <source>The database refused the query: {0}.</source>
        <translation>数据库拒绝了查询：{0}。</translation>
    </message>
    <message>
        <source>The disk is full: nothing was added.</source>
        <translation>磁盘已满：没有添加任何内容。</translation>
    </message>
    <message>
        <source>The disk is full: the document was not added.</source>
        <translation>磁盘已满：没有添加文档。</translation>
    </message>
    <message>
        <source>The disk that holds the library {0} cannot keep two programs from writing at once.</source>
        <translation>文档库 {0} 所在的磁盘无法阻止两个程序同时写入。</translation>
    </message>
    <message>
        <source>The disk that holds the library {0} failed to read or write.</source>
        <translation>文档库 {0} 所在的磁盘读写失败。</translation>
    </message>
    <message>
        <source>The document has no page {0}.</source>
        <translation>文档没有第 {0} 页。</translation>
    </message>
    <message>
        <source>The document holds no text.</source>
        <translation>文档中没有文字。</translation>
    </message>
    <message>
        <source>The document was changed while its pages were read.</source>
        <translation>读取页面时文档有更改。</translation>
    </message>
    <message>
        <source>The embedding model cannot be stored in {0}: {1}.</source>
        <translation>嵌入模型无法保存到 {0}：{1}。</translation>
    </message>
    <message>
        <source>The embedding model could not be loaded.</source>
        <translation>无法加载嵌入模型。</translation>
    </message>
    <message>
        <source>The embedding model failed: {0}</source>
        <translation>嵌入模型出错：{0}</translation>
    </message>
    <message>
        <source>The embedding model gave vectors that cannot be used.</source>
        <translation>嵌入模型给出的向量无法使用。</translation>
    </message>
    <message>
        <source>The embedding model has no fast tokenizer.</source>
        <translation>这个嵌入模型没有快速分词器。</translation>
    </message>
    <message>
        <source>The embedding model now gives vectors of width {0}, the library holds {1}.</source>
        <translation>嵌入模型现在给出的向量宽度为 {0}，文档库中是 {1}。</translation>
    </message>
    <message>
        <source>The embedding model “{0}” cannot be loaded.</source>
        <translation>嵌入模型“{0}”无法加载。</translation>
    </message>
    <message>
        <source>The embedding model “{0}” cannot be loaded: {1}</source>
        <translation>嵌入模型“{0}”无法加载：{1}</translation>
    </message>
    <message>
        <source>The embedding model “{0}” cannot be used: {1}</source>
        <translation>嵌入模型“{0}”无法使用：{1}</translation>
    </message>
    <message>
        <source>The encoding was guessed: {0}</source>
        <translation>编码是推测的：{0}</translation>
    </message>
    <message>
        <source>The encyclopaedia cannot be asked: {0}</source>
        <translation>无法查询百科：{0}</translation>
    </message>
    <message>
        <source>The entry of “{0}” cannot be read.</source>
        <translation>无法读取“{0}”的条目。</translation>
    </message>
    <message>
        <source>The environment variable {0} is not set.</source>
        <translation>没有设置环境变量 {0}。</translation>
    </message>
    <message>
        <source>The environment variable {0}, which should hold the key, is not set.</source>
        <translation>应当存放密钥的环境变量 {0} 没有设置。</translation>
    </message>
    <message>
        <source>The environment variable {0}, which the address of “{1}” contains, is not set.</source>
        <translation>“{1}”的地址中用到的环境变量 {0} 没有设置。</translation>
    </message>
    <message>
        <source>The export of the embedding model “{0}” cannot be read.</source>
        <translation>嵌入模型“{0}”的导出文件无法读取。</translation>
    </message>
    <message>
        <source>The fields are {0}.</source>
        <translation>可用字段：{0}。</translation>
    </message>
    <message>
        <source>The file cannot be opened: {0}.</source>
        <translation>无法打开文件：{0}。</translation>
    </message>
    <message>
        <source>The file cannot be reached.</source>
        <translation>无法访问该文件。</translation>
    </message>
    <message>
        <source>The file cannot be read: {0}.</source>
        <translation>无法读取文件：{0}。</translation>
    </message>
    <message>
        <source>The file does not hold text.</source>
        <translation>文件中不是文字。</translation>
    </message>
    <message>
        <source>The file holds no text.</source>
        <translation>文件中没有文字。</translation>
    </message>
    <message>
        <source>The file holds no text: its pages are pictures.</source>
        <translation>文件中没有文字：各页都是图片。</translation>
    </message>
    <message>
        <source>The file is damaged and cannot be read.</source>
        <translation>文件已损坏，无法读取。</translation>
    </message>
    <message>
        <source>The file is damaged: no text can be unpacked from it.</source>
        <translation>文件已损坏：无法从中解压出文字。</translation>
    </message>
    <message>
        <source>The file is damaged: the part that holds its text cannot be read.</source>
        <translation>文件已损坏：无法读取存放文字的部分。</translation>
    </message>
    <message>
        <source>The file is damaged: the part that holds its text is missing.</source>
        <translation>文件已损坏：缺少存放文字的部分。</translation>
    </message>
    <message>
        <source>The file is damaged; what could be saved of it was read.</source>
        <translation>文件已损坏；能恢复的部分已读取。</translation>
    </message>
    <message>
        <source>The file is damaged; what could still be read was read.</source>
        <translation>文件已损坏；仍能读取的部分已读取。</translation>
    </message>
    <message>
        <source>The file is empty (0 bytes).</source>
        <translation>文件是空的（0 字节）。</translation>
    </message>
    <message>
        <source>The file is encrypted in a way that cannot be read here, or damaged.</source>
        <translation>文件的加密方式在这里无法读取，或文件已损坏。</translation>
    </message>
    <message>
        <source>The file is named “{0}” but is {1}.</source>
        <translation>文件名以“{0}”结尾，实际是{1}。</translation>
    </message>
    <message>
        <source>The file is named “{0}” but is {1}; it was read as that.</source>
        <translation>文件名以“{0}”结尾，实际是{1}；已按后者读取。</translation>
    </message>
    <message>
        <source>The file is not a notebook.</source>
        <translation>文件不是笔记本。</translation>
    </message>
    <message>
        <source>The file is not rich text.</source>
        <translation>文件不是 RTF。</translation>
    </message>
    <message>
        <source>The file is not a PDF, or is damaged.</source>
        <translation>文件不是 PDF，或已损坏。</translation>
    </message>
    <message>
        <source>Required</source>
        <translation>要求达到</translation>
    </message>
    <message>
        <source>Technical details for a bug report, without names, texts or keys</source>
        <translation>用于问题反馈的技术详情，不含名称、文本和密钥</translation>
    </message>
    <message>
        <source>The address of the embedding server contains a name or password.</source>
        <translation>嵌入服务器的地址中含有用户名或密码。</translation>
    </message>
    <message>
        <source>The address of the embedding server contains no server name.</source>
        <translation>嵌入服务器的地址中没有服务器名。</translation>
    </message>
    <message>
        <source>The address of the embedding server lacks “#” and the name of its model.</source>
        <translation>嵌入服务器的地址缺少“#”和模型名称。</translation>
    </message>
    <message>
        <source>The document would have {0} keys, which is too many.</source>
        <translation>该文档将有 {0} 个键，数量过多。</translation>
    </message>
    <message>
        <source>The file contains more than can be read.</source>
        <translation>文件的内容超出可读取的量。</translation>
    </message>
    <message>
        <source>The file is not a mailbox.</source>
        <translation>文件不是邮箱。</translation>
    </message>
    <message>
        <source>The file is not an Outlook message.</source>
        <translation>文件不是 Outlook 邮件。</translation>
    </message>
    <message>
        <source>The file is not an e-mail message.</source>
        <translation>文件不是电子邮件。</translation>
    </message>
    <message>
        <source>The file is not valid JSON; it was read as plain text.</source>
        <translation>文件不是有效的 JSON；已按纯文本读取。</translation>
    </message>
    <message>
        <source>The file is protected by a password.</source>
        <translation>文件有密码保护。</translation>
    </message>
    <message>
        <source>The file is protected with a password in a way that cannot be read here.</source>
        <translation>文件的密码保护方式在这里无法读取。</translation>
    </message>
    <message>
        <source>The file is so damaged that reading it crashed the reader.</source>
        <translation>文件损坏严重，读取时程序崩溃。</translation>
    </message>
    <message>
        <source>The file is {0}.</source>
        <translation>该文件是{0}。</translation>
    </message>
    <message>
        <source>The file itself is never changed.</source>
        <translation>文件本身不会被更改。</translation>
    </message>
    <message>
        <source>The file of “{0}” changed meanwhile; add it again.</source>
        <translation>“{0}”的文件在此期间有改动；请重新添加。</translation>
    </message>
    <message>
        <source>The file of “{0}” is neither in the library nor where it was added from.</source>
        <translation>“{0}”的文件既不在文档库中，也不在添加它的位置。</translation>
    </message>
    <message>
        <source>The file of “{0}” was copied again.</source>
        <translation>已重新复制“{0}”的文件。</translation>
    </message>
    <message>
        <source>The file was changed while its pages were read.</source>
        <translation>读取页面时文件有更改。</translation>
    </message>
    <message>
        <source>The file was moved; its new place was noted.</source>
        <translation>文件已被移动；已记下新位置。</translation>
    </message>
    <message>
        <source>The files of {0} cannot be read.</source>
        <translation>无法读取 {0} 的文件。</translation>
    </message>
    <message>
        <source>The filter has {0} conditions.</source>
        <translation>筛选有 {0} 个条件。</translation>
    </message>
    <message>
        <source>The filter is nested deeper than {0} levels.</source>
        <translation>筛选条件的嵌套超过 {0} 层。</translation>
    </message>
    <message>
        <source>The filter is not JSON.</source>
        <translation>筛选不是 JSON。</translation>
    </message>
    <message>
        <source>The filter is too long.</source>
        <translation>筛选太长。</translation>
    </message>
    <message>
        <source>The filter names too many values.</source>
        <translation>筛选列出的值太多。</translation>
    </message>
    <message>
        <source>The filter operator “{0}” lacks its “{1}”.</source>
        <translation>筛选运算符“{0}”缺少“{1}”。</translation>
    </message>
    <message>
        <source>The filter “{0}” cannot be “{1}”.</source>
        <translation>筛选条件“{0}”不能为“{1}”。</translation>
    </message>
    <message>
        <source>The filter “{0}” has no value to compare with.</source>
        <translation>筛选条件“{0}”没有要比较的值。</translation>
    </message>
    <message>
        <source>The filter “{0}” takes one value with {1}.</source>
        <translation>筛选条件“{0}”用 {1} 时只能有一个值。</translation>
    </message>
    <message>
        <source>The filters are {0}. Words with a colon in them need quotation marks.</source>
        <translation>可用的筛选有 {0}。含冒号的词需要加引号。</translation>
    </message>
    <message>
        <source>The filters cannot be read.</source>
        <translation>无法读取筛选。</translation>
    </message>
    <message>
        <source>The floor</source>
        <translation>相关度下限</translation>
    </message>
    <message>
        <source>The folder is no longer linked.</source>
        <translation>已取消关联该文件夹。</translation>
    </message>
    <message>
        <source>The folder of prepared models cannot be written: without one that was prepared before, only keywords are searched.</source>
        <translation>存放已准备模型的文件夹不可写：如果之前没有准备好的模型，则只能按关键词搜索。</translation>
    </message>
    <message>
        <source>The folder “{0}” cannot be read.</source>
        <translation>无法读取文件夹“{0}”。</translation>
    </message>
    <message>
        <source>The installer cannot be started: {0}.</source>
        <translation>无法启动安装程序：{0}。</translation>
    </message>
    <message>
        <source>The keyword index</source>
        <translation>关键词索引</translation>
    </message>
    <message>
        <source>The keyword index is damaged.</source>
        <translation>关键词索引已损坏。</translation>
    </message>
    <message>
        <source>The keyword index is rebuilt from the passages.</source>
        <translation>会根据段落重新生成关键词索引。</translation>
    </message>
    <message>
        <source>The keyword index was rebuilt.</source>
        <translation>已重新生成关键词索引。</translation>
    </message>
    <message>
        <source>The knowledge base that this was read in is gone.</source>
        <translation>读取时所用的知识库已不存在。</translation>
    </message>
    <message>
        <source>The knowledge bases are {0}.</source>
        <translation>知识库有：{0}。</translation>
    </message>
    <message>
        <source>The language changes when the answer is finished.</source>
        <translation>回答完成后切换语言。</translation>
    </message>
    <message>
        <source>The layout model could not read it.</source>
        <translation>版面模型无法读取它。</translation>
    </message>
    <message>
        <source>The layout model is not installed.</source>
        <translation>没有安装版面模型。</translation>
    </message>
    <message>
        <source>The ledger of the network is not exported as “{0}”.</source>
        <translation>联网记录不能导出为“{0}”。</translation>
    </message>
    <message>
        <source>The library cannot be opened.</source>
        <translation>无法打开文档库。</translation>
    </message>
    <message>
        <source>The library folder {0} cannot be written.</source>
        <translation>无法写入文档库文件夹 {0}。</translation>
    </message>
    <message>
        <source>The library folder {0} cannot be written: it is a file.</source>
        <translation>无法写入文档库文件夹 {0}：它是一个文件。</translation>
    </message>
    <message>
        <source>The library folder {0} was moved, removed or replaced while it was open.</source>
        <translation>文档库文件夹 {0} 在打开期间被移动、删除或替换了。</translation>
    </message>
    <message>
        <source>The library in {0} cannot be written.</source>
        <translation>无法写入 {0} 中的文档库。</translation>
    </message>
    <message>
        <source>The library in {0} has to be brought up to date before it can be read.</source>
        <translation>{0} 中的文档库需要先更新才能读取。</translation>
    </message>
    <message>
        <source>The library in {0} is of an earlier version of this program and is backed up before it is brought up to date. {1}</source>
        <translation>{0} 中的文档库来自本程序的较早版本，升级前会先备份。{1}</translation>
    </message>
    <message>
        <source>The library in {0} was brought up to date by another version of this program.</source>
        <translation>{0} 中的文档库已被本程序的另一版本更新。</translation>
    </message>
    <message>
        <source>The library in {0} was written by a later version of this program.</source>
        <translation>{0} 中的文档库由本程序的更高版本写入。</translation>
    </message>
    <message>
        <source>The library is closed.</source>
        <translation>文档库已关闭。</translation>
    </message>
    <message>
        <source>The library is searched with the current model until the new vectors are complete.</source>
        <translation>在新向量全部完成之前，文档库仍用当前模型搜索。</translation>
    </message>
    <message>
        <source>The library {0} is open in another program (process {1}).</source>
        <translation>文档库 {0} 已在另一个程序中打开（进程 {1}）。</translation>
    </message>
    <message>
        <source>The library {0} is open in “workbench {1}” (process {2}).</source>
        <translation>文档库 {0} 已在“workbench {1}”中打开（进程 {2}）。</translation>
    </message>
    <message>
        <source>The library&apos;s copies of files</source>
        <translation>文档库保存的文件副本</translation>
    </message>
    <message>
        <source>The library&apos;s copy of this file is missing.</source>
        <translation>文档库中这个文件的副本已不存在。</translation>
    </message>
    <message>
        <source>The library&apos;s copy of this note is gone.</source>
        <translation>文档库中这条笔记的副本已不存在。</translation>
    </message>
    <message>
        <source>The library&apos;s copy of “{0}” is damaged.</source>
        <translation>文档库保存的“{0}”副本已损坏。</translation>
    </message>
    <message>
        <source>The library&apos;s copy of “{0}” is gone, so its pages cannot be shown.</source>
        <translation>文档库中“{0}”的副本已不存在，因此无法显示其页面。</translation>
    </message>
    <message>
        <source>The library&apos;s copy of “{0}” is gone.</source>
        <translation>文档库中“{0}”的副本已不存在。</translation>
    </message>
    <message>
        <source>The library&apos;s copy of “{0}” is not there.</source>
        <translation>文档库保存的“{0}”副本已不存在。</translation>
    </message>
    <message>
        <source>The library&apos;s database in {0} is being used by another program.</source>
        <translation>{0} 中文档库的数据库正被其他程序使用。</translation>
    </message>
    <message>
        <source>The library&apos;s database in {0} is damaged.</source>
        <translation>{0} 中文档库的数据库已损坏。</translation>
    </message>
    <message>
        <source>The library&apos;s database in {0} is gone.</source>
        <translation>{0} 中文档库的数据库已不存在。</translation>
    </message>
    <message>
        <source>The library&apos;s database in {0} is gone; the copies of its documents&apos; files are there.</source>
        <translation>{0} 中文档库的数据库已不存在；文档的文件副本还在。</translation>
    </message>
    <message>
        <source>The library&apos;s database {0} is read-only.</source>
        <translation>文档库的数据库 {0} 是只读的。</translation>
    </message>
    <message>
        <source>The library&apos;s folder cannot be written.</source>
        <translation>无法写入文档库的文件夹。</translation>
    </message>
    <message>
        <source>The library&apos;s folder cannot be written: {0}.</source>
        <translation>无法写入文档库的文件夹：{0}。</translation>
    </message>
    <message>
        <source>The limit of {0} tool calls was reached; the model was told to answer now.</source>
        <translation>已达到 {0} 次工具调用的上限，已要求模型立即回答。</translation>
    </message>
    <message>
        <source>The lists of the search index are damaged.</source>
        <translation>搜索索引的列表已损坏。</translation>
    </message>
    <message>
        <source>The lists of the search index cannot be read.</source>
        <translation>搜索索引的列表无法读取。</translation>
    </message>
    <message>
        <source>The log folder cannot be written: the program works without a log.</source>
        <translation>日志文件夹不可写：程序照常工作，但不记录日志。</translation>
    </message>
    <message>
        <source>The log of the library in {0} was deleted while it was open.</source>
        <translation>{0} 中文档库的日志在打开期间被删除了。</translation>
    </message>
    <message>
        <source>The log says more.</source>
        <translation>详情见日志。</translation>
    </message>
    <message>
        <source>The manifest of the vector store is damaged.</source>
        <translation>向量库的清单已损坏。</translation>
    </message>
    <message>
        <source>The manifest of the vector store is missing or damaged.</source>
        <translation>向量库的清单缺失或已损坏。</translation>
    </message>
    <message>
        <source>The map could not be drawn.</source>
        <translation>地图无法绘制。</translation>
    </message>
    <message>
        <source>The map of the library cannot be read.</source>
        <translation>文档库的地图无法读取。</translation>
    </message>
    <message>
        <source>The map of the library was damaged.</source>
        <translation>文档库的地图已损坏。</translation>
    </message>
    <message>
        <source>The message holds no text.</source>
        <translation>邮件中没有文字。</translation>
    </message>
    <message>
        <source>The model reached no result within the rounds allowed for this step.</source>
        <translation>模型在此步骤允许的轮数内没有得出结果。</translation>
    </message>
    <message>
        <source>The model ended without an answer.</source>
        <translation>模型已结束，但没有给出回答。</translation>
    </message>
    <message>
        <source>The model found something, but its quote is not in the passage.</source>
        <translation>模型找到了内容，但它的引文不在段落中。</translation>
    </message>
    <message>
        <source>The model&apos;s answer for this passage could not be read.</source>
        <translation>无法读取模型对此段落的回答。</translation>
    </message>
    <message>
        <source>The model is too large.</source>
        <translation>模型太大。</translation>
    </message>
    <message>
        <source>The model made no plan; it answers directly.</source>
        <translation>模型没有制定计划，直接回答。</translation>
    </message>
    <message>
        <source>The model may be too large for that computer, or the passages too many: try a smaller model.</source>
        <translation>模型对那台机器来说可能太大，或段落太多：请换用较小的模型。</translation>
    </message>
    <message>
        <source>The model may not be made for reranking.</source>
        <translation>这个模型可能不是用来重排的。</translation>
    </message>
    <message>
        <source>The model stopped before its answer was complete.</source>
        <translation>模型没有写完回答就停止了。</translation>
    </message>
    <message>
        <source>The model that checked it found no support for it in the cited passages.</source>
        <translation>负责核对的模型在引用的段落中没有找到依据。</translation>
    </message>
    <message>
        <source>The model took too long.</source>
        <translation>模型用时太长。</translation>
    </message>
    <message>
        <source>The model used up its {0} rounds without coming to an answer.</source>
        <translation>模型用完了 {0} 轮，仍没有得出答案。</translation>
    </message>
    <message>
        <source>The model “{0}” cannot be downloaded: {1}.</source>
        <translation>无法下载模型“{0}”：{1}。</translation>
    </message>
    <message>
        <source>The model “{0}” is not on this computer.</source>
        <translation>本机上没有模型“{0}”。</translation>
    </message>
    <message>
        <source>The model&apos;s filters were not used. {0}</source>
        <translation>未使用模型给出的筛选条件。{0}</translation>
    </message>
    <message>
        <source>The model&apos;s own reasoning</source>
        <translation>模型自己的推理</translation>
    </message>
    <message>
        <source>The model&apos;s reply could not be used.</source>
        <translation>模型的回复无法使用。</translation>
    </message>
    <message>
        <source>The name of a knowledge base was lost; it is called “{0}” now.</source>
        <translation>一个知识库的名称已丢失，现在叫“{0}”。</translation>
    </message>
    <message>
        <source>The network</source>
        <translation>网络</translation>
    </message>
    <message>
        <source>The note is empty.</source>
        <translation>笔记是空的。</translation>
    </message>
    <message>
        <source>The notebook is not valid JSON.</source>
        <translation>笔记本不是有效的 JSON。</translation>
    </message>
    <message>
        <source>The number of “{0}” is too large.</source>
        <translation>“{0}”的数字太大。</translation>
    </message>
    <message>
        <source>The packages could not be installed: {0}</source>
        <translation>无法安装软件包：{0}</translation>
    </message>
    <message>
        <source>The packages that load embedding models such as “{0}” are not installed.</source>
        <translation>未安装加载“{0}”这类嵌入模型所需的软件包。</translation>
    </message>
    <message>
        <source>The packages that load reranking models such as “{0}” are not installed.</source>
        <translation>未安装加载“{0}”这类重排模型所需的软件包。</translation>
    </message>
    <message>
        <source>The packages were installed, but are not found.</source>
        <translation>软件包已安装，但找不到它们。</translation>
    </message>
    <message>
        <source>The page</source>
        <translation>该页</translation>
    </message>
    <message>
        <source>The page arrived damaged.</source>
        <translation>网页在传输中损坏。</translation>
    </message>
    <message>
        <source>The page could not be read: {0}</source>
        <translation>无法读取网页：{0}</translation>
    </message>
    <message>
        <source>The page has {0} passages.</source>
        <translation>该网页有 {0} 个段落。</translation>
    </message>
    <message>
        <source>The page holds no text of its own.</source>
        <translation>网页本身没有文字。</translation>
    </message>
    <message>
        <source>The page holds no text.</source>
        <translation>网页中没有文字。</translation>
    </message>
    <message>
        <source>The page is already being added.</source>
        <translation>正在添加该网页。</translation>
    </message>
    <message>
        <source>The page is larger than {0} megabytes.</source>
        <translation>网页超过 {0} MB。</translation>
    </message>
    <message>
        <source>The page may require a login; save it in the browser and add the file.</source>
        <translation>网页可能需要登录；请在浏览器中保存，再添加该文件。</translation>
    </message>
    <message>
        <source>The page redirects to “{0}”, which is not fetched.</source>
        <translation>网页转向“{0}”，那里不获取。</translation>
    </message>
    <message>
        <source>The page&apos;s scripts cannot be run: no Chromium is installed.</source>
        <translation>无法运行网页脚本：没有安装 Chromium。</translation>
    </message>
    <message>
        <source>The passage could not be changed.</source>
        <translation>无法更改该段落。</translation>
    </message>
    <message>
        <source>The passage on its page</source>
        <translation>段落在原页上的位置</translation>
    </message>
    <message>
        <source>The passage says “{0}”, the claim “{1}”.</source>
        <translation>段落中写的是“{0}”，而回答中写的是“{1}”。</translation>
    </message>
    <message>
        <source>The passages found may not answer the question.</source>
        <translation>找到的段落可能没有回答这个问题。</translation>
    </message>
    <message>
        <source>The passages have no vectors yet</source>
        <translation>段落还没有向量</translation>
    </message>
    <message>
        <source>The passages keep the order of the search: reranking failed. {0}</source>
        <translation>重排失败，段落按搜索的顺序排列。{0}</translation>
    </message>
    <message>
        <source>The password fits, but LibreOffice cannot read the file without its protection.</source>
        <translation>密码正确，但 LibreOffice 无法读取去掉保护后的文件。</translation>
    </message>
    <message>
        <source>The password is wrong.</source>
        <translation>密码错误。</translation>
    </message>
    <message>
        <source>The picture has no page {0}.</source>
        <translation>图片没有第 {0} 页。</translation>
    </message>
    <message>
        <source>The picture is damaged, or of a kind that cannot be read.</source>
        <translation>图片已损坏，或是无法读取的类型。</translation>
    </message>
    <message>
        <source>The picture is too large.</source>
        <translation>图片太大。</translation>
    </message>
    <message>
        <source>The place is empty: name one.</source>
        <translation>地点是空的：请给出一个。</translation>
    </message>
    <message>
        <source>The plan had more than {0} steps; the others are left out.</source>
        <translation>计划超过 {0} 步，其余步骤已略去。</translation>
    </message>
    <message>
        <source>The plan has no steps.</source>
        <translation>计划里没有步骤。</translation>
    </message>
    <message>
        <source>The plan is not JSON.</source>
        <translation>计划不是 JSON。</translation>
    </message>
    <message>
        <source>The plug-in {0} cannot be read.</source>
        <translation>无法读取插件 {0}。</translation>
    </message>
    <message>
        <source>The profiles are {0}.</source>
        <translation>模型配置有：{0}。</translation>
    </message>
    <message>
        <source>The program ended before the request did.</source>
        <translation>请求还没结束，程序就退出了。</translation>
    </message>
    <message>
        <source>The program ended unexpectedly the last time.</source>
        <translation>程序上次意外退出了。</translation>
    </message>
    <message>
        <source>The program ended while this was being read.</source>
        <translation>读取过程中程序结束了。</translation>
    </message>
    <message>
        <source>The program rebuilds the index from the library on its next start.</source>
        <translation>程序下次启动时会从文档库重新生成索引。</translation>
    </message>
    <message>
        <source>The program rebuilds the index from the library.</source>
        <translation>程序会从文档库重新生成索引。</translation>
    </message>
    <message>
        <source>The program rebuilds the vector store from the library.</source>
        <translation>程序会根据文档库重建向量库。</translation>
    </message>
    <message>
        <source>The program stopped before it was read, because of a bug.</source>
        <translation>由于程序错误，程序在读取之前就停止了。</translation>
    </message>
    <message>
        <source>The program that has the library open does not understand what it was asked for. Nothing was changed.</source>
        <translation>打开文档库的程序不理解所收到的请求。没有做任何更改。</translation>
    </message>
    <message>
        <source>The program that has the library open is of another version than this one. Nothing was changed.</source>
        <translation>打开文档库的程序与本程序版本不同。没有做任何更改。</translation>
    </message>
    <message>
        <source>The program was closed while this was being read.</source>
        <translation>读取过程中程序被关闭。</translation>
    </message>
    <message>
        <source>The program was updated or removed while it was running.</source>
        <translation>程序在运行时被更新或删除了。</translation>
    </message>
    <message>
        <source>The query cannot be run: {0}.</source>
        <translation>无法运行查询：{0}。</translation>
    </message>
    <message>
        <source>The query found no rows.</source>
        <translation>查询没有找到任何行。</translation>
    </message>
    <message>
        <source>The query is empty.</source>
        <translation>查询是空的。</translation>
    </message>
    <message>
        <source>The query is empty: say what to search for.</source>
        <translation>查询是空的：请说明要搜索什么。</translation>
    </message>
    <message>
        <source>The question in steps</source>
        <translation>分步回答问题</translation>
    </message>
    <message>
        <source>The question is empty.</source>
        <translation>问题是空的。</translation>
    </message>
    <message>
        <source>The question is very long: only its beginning and its end were searched.</source>
        <translation>问题很长，只搜索了它的开头和结尾。</translation>
    </message>
    <message>
        <source>The question needs one step only; it is answered directly.</source>
        <translation>此问题只需一步，直接回答。</translation>
    </message>
    <message>
        <source>The quotation marks of the command do not match.</source>
        <translation>命令中的引号不成对。</translation>
    </message>
    <message>
        <source>The range of “{0}” has no end.</source>
        <translation>“{0}”的范围没有终点。</translation>
    </message>
    <message>
        <source>The reading was deleted.</source>
        <translation>已删除这次通读。</translation>
    </message>
    <message>
        <source>The release feed gave no usable answer: {0}</source>
        <translation>发布信息源没有给出可用的回答：{0}</translation>
    </message>
    <message>
        <source>The release feed has not been asked yet.</source>
        <translation>尚未询问发布信息源。</translation>
    </message>
    <message>
        <source>The release feed names no newer version.</source>
        <translation>发布信息源中没有更新的版本。</translation>
    </message>
    <message>
        <source>The remaining tokens are kept for the answer.</source>
        <translation>剩余的 token 留给回答使用。</translation>
    </message>
    <message>
        <source>The report cannot be written: {reason}.</source>
        <translation>无法写入报告：{reason}。</translation>
    </message>
    <message>
        <source>The request to {0} failed ({1}).</source>
        <translation>对 {0} 的请求失败（{1}）。</translation>
    </message>
    <message>
        <source>The reranker gave a score that is not a number.</source>
        <translation>重排器给出的得分不是数字。</translation>
    </message>
    <message>
        <source>The reranker gave {0} scores for {1} passages.</source>
        <translation>重排器给出 {0} 个得分，而段落有 {1} 个。</translation>
    </message>
    <message>
        <source>The reranking model “{0}” cannot be loaded: {1}</source>
        <translation>无法加载重排模型“{0}”：{1}</translation>
    </message>
    <message>
        <source>The reranking model “{0}” failed: {1}</source>
        <translation>重排模型“{0}”失败：{1}</translation>
    </message>
    <message>
        <source>The retriever “{0}” failed: {1}.</source>
        <translation>检索器“{0}”失败：{1}。</translation>
    </message>
    <message>
        <source>The retriever “{0}” was not allowed to run yet, or its file has changed.</source>
        <translation>检索器“{0}”尚未获准运行，或其文件已更改。</translation>
    </message>
    <message>
        <source>The retriever “{0}” {1} and was left out.</source>
        <translation>检索器“{0}”{1}，已略去。</translation>
    </message>
    <message>
        <source>The retriever “{0}” {1}.</source>
        <translation>检索器“{0}”{1}。</translation>
    </message>
    <message>
        <source>The run ended without an answer.</source>
        <translation>运行已结束，但没有给出回答。</translation>
    </message>
    <message>
        <source>The search failed.</source>
        <translation>搜索失败。</translation>
    </message>
    <message>
        <source>The search index</source>
        <translation>搜索索引</translation>
    </message>
    <message>
        <source>The search index cannot be read.</source>
        <translation>搜索索引无法读取。</translation>
    </message>
    <message>
        <source>The search index could not be saved.</source>
        <translation>搜索索引无法保存。</translation>
    </message>
    <message>
        <source>The search index failed.</source>
        <translation>搜索索引出错。</translation>
    </message>
    <message>
        <source>The search index holds vectors of width {0}, not {1}.</source>
        <translation>搜索索引中的向量宽度是 {0}，而不是 {1}。</translation>
    </message>
    <message>
        <source>The search index is being made from the library; nothing is lost. Until it is ready, some passages are found by their words only.</source>
        <translation>正在从文档库建立搜索索引；没有丢失任何内容。完成之前，有些段落只能按字词找到。</translation>
    </message>
    <message>
        <source>The search index is damaged.</source>
        <translation>搜索索引已损坏。</translation>
    </message>
    <message>
        <source>The search index is rebuilt from the vectors.</source>
        <translation>会根据向量重新生成搜索索引。</translation>
    </message>
    <message>
        <source>The search index was damaged. It was rebuilt from the library; nothing is lost.</source>
        <translation>搜索索引已损坏，已从文档库重新建立；没有丢失任何内容。</translation>
    </message>
    <message>
        <source>The search index was rebuilt.</source>
        <translation>已重新生成搜索索引。</translation>
    </message>
    <message>
        <source>The search server answered with something that cannot be read.</source>
        <translation>搜索服务器返回了无法读取的内容。</translation>
    </message>
    <message>
        <source>The section of this passage cannot be shown.</source>
        <translation>无法显示这个段落所在的节。</translation>
    </message>
    <message>
        <source>The server offers {0}.</source>
        <translation>服务器提供 {0}。</translation>
    </message>
    <message>
        <source>The server sent an empty page.</source>
        <translation>服务器发来的是空白页。</translation>
    </message>
    <message>
        <source>The server sent nothing.</source>
        <translation>服务器没有发送任何内容。</translation>
    </message>
    <message>
        <source>The server sent the page in a form that cannot be read (“{0}”).</source>
        <translation>服务器发来的网页格式无法读取（“{0}”）。</translation>
    </message>
    <message>
        <source>The server&apos;s address begins with “{0}://”; only http and https work.</source>
        <translation>服务器地址以“{0}://”开头；只支持 http 和 https。</translation>
    </message>
    <message>
        <source>The server&apos;s address contains a name or password.</source>
        <translation>服务器地址中含有用户名或密码。</translation>
    </message>
    <message>
        <source>The server&apos;s address contains a space.</source>
        <translation>服务器地址中有空格。</translation>
    </message>
    <message>
        <source>The server&apos;s address contains a “?”, which servers do not accept.</source>
        <translation>服务器地址中含有“?”，服务器不接受这样的地址。</translation>
    </message>
    <message>
        <source>The server&apos;s address is empty.</source>
        <translation>服务器地址是空的。</translation>
    </message>
    <message>
        <source>The server&apos;s address is not a valid URL.</source>
        <translation>服务器地址不是有效的 URL。</translation>
    </message>
    <message>
        <source>The server&apos;s address contains no server name.</source>
        <translation>服务器地址中没有服务器名。</translation>
    </message>
    <message>
        <source>The server&apos;s content filter stopped the answer.</source>
        <translation>服务器的内容过滤器拦截了回答。</translation>
    </message>
    <message>
        <source>The server&apos;s content filter stopped this step.</source>
        <translation>服务器的内容过滤器中止了此步骤。</translation>
    </message>
    <message>
        <source>The server&apos;s log may say more. Another model or wire format in this profile may work.</source>
        <translation>服务器的日志中可能有更多信息；也可以在此配置中换一个模型或接口格式。</translation>
    </message>
    <message>
        <source>The setting “{0}” cannot be read.</source>
        <translation>无法读取设置“{0}”。</translation>
    </message>
    <message>
        <source>The settings are {0}.</source>
        <translation>现有设置：{0}。</translation>
    </message>
    <message>
        <source>The sheets are empty.</source>
        <translation>工作表是空的。</translation>
    </message>
    <message>
        <source>The slides hold no text.</source>
        <translation>幻灯片中没有文字。</translation>
    </message>
    <message>
        <source>The structure answers this; it is quoted word for word.</source>
        <translation>文档结构即可回答这个问题，以下为逐字引用。</translation>
    </message>
    <message>
        <source>The text of “{0}” cannot be read.</source>
        <translation>无法读取“{0}”的文本。</translation>
    </message>
    <message>
        <source>The title of a session was lost; it is called “{0}” now.</source>
        <translation>一个会话的标题已丢失，现在叫“{0}”。</translation>
    </message>
    <message>
        <source>The tool server “{0}” is no longer allowed.</source>
        <translation>工具服务器“{0}”不再获准使用。</translation>
    </message>
    <message>
        <source>The value of the filter “{0}” is too long.</source>
        <translation>筛选条件“{0}”的值太长。</translation>
    </message>
    <message>
        <source>The value of “{0}” is empty.</source>
        <translation>“{0}”的值是空的。</translation>
    </message>
    <message>
        <source>The value of “{0}” is too long.</source>
        <translation>“{0}”的值太长。</translation>
    </message>
    <message>
        <source>The vector index cannot be used.</source>
        <translation>无法使用向量索引。</translation>
    </message>
    <message>
        <source>The vector store belongs to another library or another server.</source>
        <translation>该向量库属于另一个文档库或另一台服务器。</translation>
    </message>
    <message>
        <source>The vector store has no address.</source>
        <translation>该向量库没有地址。</translation>
    </message>
    <message>
        <source>The vector store is closed.</source>
        <translation>向量库已关闭。</translation>
    </message>
    <message>
        <source>The vector store {0} failed: {1}.</source>
        <translation>向量库 {0} 出错：{1}。</translation>
    </message>
    <message>
        <source>The vector store {0} needs a package that is not installed.</source>
        <translation>向量库 {0} 需要一个尚未安装的软件包。</translation>
    </message>
    <message>
        <source>The vectors cannot be searched. {0}</source>
        <translation>无法搜索向量。{0}</translation>
    </message>
    <message>
        <source>The weather could not be looked up: {0}</source>
        <translation>无法查询天气：{0}</translation>
    </message>
    <message>
        <source>The weather service answered with something that cannot be read.</source>
        <translation>天气服务返回了无法读取的内容。</translation>
    </message>
    <message>
        <source>The weight of meaning</source>
        <translation>语义的权重</translation>
    </message>
    <message>
        <source>The window is opening or closing its library.</source>
        <translation>窗口正在打开或关闭文档库。</translation>
    </message>
    <message>
        <source>The window was closed before the change was completed.</source>
        <translation>更改完成之前窗口已被关闭。</translation>
    </message>
    <message>
        <source>The workbook is damaged and cannot be read.</source>
        <translation>工作簿已损坏，无法读取。</translation>
    </message>
    <message>
        <source>The {0} is too long.</source>
        <translation>{0} 太长。</translation>
    </message>
    <message>
        <source>There are none yet: add one.</source>
        <translation>还没有，请添加一个。</translation>
    </message>
    <message>
        <source>There are none.</source>
        <translation>没有可选项。</translation>
    </message>
    <message>
        <source>There are {0}.</source>
        <translation>现有：{0}。</translation>
    </message>
    <message>
        <source>There is a knowledge base “{0}” already.</source>
        <translation>已经有名为“{0}”的知识库。</translation>
    </message>
    <message>
        <source>There is an agent “{0}” already.</source>
        <translation>已经有名为“{0}”的智能体。</translation>
    </message>
    <message>
        <source>There is no GPU, and none is needed: all runs on {0:d} processor cores ({1}).</source>
        <translation>没有显卡，也不需要：所有计算都在 {0} 个处理器核心（{1}）上进行。</translation>
    </message>
    <message>
        <source>There is no agent “{0}”.</source>
        <translation>没有智能体“{0}”。</translation>
    </message>
    <message>
        <source>There is no backup “{0}”.</source>
        <translation>没有名为“{0}”的备份。</translation>
    </message>
    <message>
        <source>There is no configuration “{0}”.</source>
        <translation>没有搜索配置“{0}”。</translation>
    </message>
    <message>
        <source>There is no connection to {0}.</source>
        <translation>无法连接 {0}。</translation>
    </message>
    <message>
        <source>There is no database “{0}”.</source>
        <translation>没有数据库“{0}”。</translation>
    </message>
    <message>
        <source>There is no document that may be read here.</source>
        <translation>这里没有可以读取的文档。</translation>
    </message>
    <message>
        <source>There is no document {0} in the library.</source>
        <translation>文档库中没有文档 {0}。</translation>
    </message>
    <message>
        <source>There is no document “{0}” in the library.</source>
        <translation>文档库中没有文档“{0}”。</translation>
    </message>
    <message>
        <source>There is no earlier embedding model to go back to.</source>
        <translation>没有可以换回的旧嵌入模型。</translation>
    </message>
    <message>
        <source>There is no embedding model in the folder “{0}”: it has neither modules.json nor config.json.</source>
        <translation>文件夹“{0}”中没有嵌入模型：既没有 modules.json，也没有 config.json。</translation>
    </message>
    <message>
        <source>There is no evaluation {0}.</source>
        <translation>没有评测 {0}。</translation>
    </message>
    <message>
        <source>There is no field “{0}” to edit.</source>
        <translation>没有可编辑的字段“{0}”。</translation>
    </message>
    <message>
        <source>There is no file in the archive that could be added.</source>
        <translation>压缩包中没有可以添加的文件。</translation>
    </message>
    <message>
        <source>There is no filter operator “{0}”.</source>
        <translation>没有筛选运算符“{0}”。</translation>
    </message>
    <message>
        <source>There is no filter {0}, so nothing was searched. The filters are {1}.</source>
        <translation>没有名为 {0} 的筛选条件，所以没有搜索。可用的条件有：{1}。</translation>
    </message>
    <message>
        <source>There is no filter “{0}”</source>
        <translation>没有名为“{0}”的筛选</translation>
    </message>
    <message>
        <source>There is no folder {0}.</source>
        <translation>没有文件夹 {0}。</translation>
    </message>
    <message>
        <source>There is no folder “agents” in it.</source>
        <translation>其中没有“agents”文件夹。</translation>
    </message>
    <message>
        <source>There is no folder “{0}”.</source>
        <translation>没有文件夹“{0}”。</translation>
    </message>
    <message>
        <source>There is no knowledge base “{0}” any more.</source>
        <translation>知识库“{0}”已不存在。</translation>
    </message>
    <message>
        <source>There is no knowledge base “{0}”.</source>
        <translation>没有知识库“{0}”。</translation>
    </message>
    <message>
        <source>There is no library in {0} that can be read yet.</source>
        <translation>{0} 中还没有可以读取的文档库。</translation>
    </message>
    <message>
        <source>There is no library in {0}.</source>
        <translation>{0} 中没有文档库。</translation>
    </message>
    <message>
        <source>There is no library to add to.</source>
        <translation>没有可以添加到的文档库。</translation>
    </message>
    <message>
        <source>There is no linked folder {0}.</source>
        <translation>没有关联文件夹 {0}。</translation>
    </message>
    <message>
        <source>There is no linked folder “{0}”.</source>
        <translation>没有关联文件夹“{0}”。</translation>
    </message>
    <message>
        <source>There is no memory {0}.</source>
        <translation>没有记忆 {0}。</translation>
    </message>
    <message>
        <source>There is no message in the file.</source>
        <translation>文件中没有邮件。</translation>
    </message>
    <message>
        <source>There is no model profile “{0}”.</source>
        <translation>没有模型配置“{0}”。</translation>
    </message>
    <message>
        <source>There is no network request {0}.</source>
        <translation>没有编号为 {0} 的联网记录。</translation>
    </message>
    <message>
        <source>There is no passage beside this one to merge it with.</source>
        <translation>旁边没有可以合并的段落。</translation>
    </message>
    <message>
        <source>There is no plug-in file “{0}”.</source>
        <translation>没有插件文件“{0}”。</translation>
    </message>
    <message>
        <source>There is no reading {0}.</source>
        <translation>没有编号为 {0} 的通读。</translation>
    </message>
    <message>
        <source>There is no reranker “{0}” here.</source>
        <translation>这里没有重排器“{0}”。</translation>
    </message>
    <message>
        <source>There is no retriever “{0}”.</source>
        <translation>没有检索器“{0}”。</translation>
    </message>
    <message>
        <source>There is no room for a copy of the library&apos;s database: it takes {0}, and {1} are free.</source>
        <translation>没有空间存放文档库数据库的副本：需要 {0}，可用 {1}。</translation>
    </message>
    <message>
        <source>There is no room left for the page.</source>
        <translation>已没有空间容纳这个网页。</translation>
    </message>
    <message>
        <source>There is no room left on the disk that holds the library {0}.</source>
        <translation>文档库 {0} 所在的磁盘没有剩余空间。</translation>
    </message>
    <message>
        <source>There is no room left on the disk that should hold the library {0}.</source>
        <translation>要存放文档库 {0} 的磁盘没有剩余空间。</translation>
    </message>
    <message>
        <source>There is no room left to read more. Answer from what you have already been given.</source>
        <translation>已没有空间继续阅读。请根据已得到的内容回答。</translation>
    </message>
    <message>
        <source>There is no search configuration “{0}”.</source>
        <translation>没有搜索配置“{0}”。</translation>
    </message>
    <message>
        <source>There is no section “{0}”. The headings are: {1}.</source>
        <translation>没有章节“{0}”。标题有：{1}。</translation>
    </message>
    <message>
        <source>There is no server “{0}”, or there is no connection to the internet.</source>
        <translation>没有服务器“{0}”，或没有连接到互联网。</translation>
    </message>
    <message>
        <source>There is no session to export.</source>
        <translation>没有可导出的会话。</translation>
    </message>
    <message>
        <source>There is no session {0}.</source>
        <translation>没有会话 {0}。</translation>
    </message>
    <message>
        <source>There is no setting “{0}”.</source>
        <translation>没有名为“{0}”的设置。</translation>
    </message>
    <message>
        <source>There is no such file.</source>
        <translation>没有这个文件。</translation>
    </message>
    <message>
        <source>There is no system keyring: a key that you enter is kept in memory until the program ends. A profile can name an environment variable instead.</source>
        <translation>没有系统密钥环：你输入的密钥只在内存中保留到程序结束。配置也可以改为指定一个环境变量。</translation>
    </message>
    <message>
        <source>There is no time zone “{0}”: the agent was given the time of this computer.</source>
        <translation>没有时区“{0}”：已改用本机时间告知智能体。</translation>
    </message>
    <message>
        <source>There is no tool server “{0}” here; the answer was made without it.</source>
        <translation>这里没有工具服务器“{0}”；回答时未使用它。</translation>
    </message>
    <message>
        <source>There is no tool server “{0}”.</source>
        <translation>没有工具服务器“{0}”。</translation>
    </message>
    <message>
        <source>There is no tool “{0}” here; the answer was made without it.</source>
        <translation>这里没有工具“{0}”；回答时未使用它。</translation>
    </message>
    <message>
        <source>There is no vector store “{0}”.</source>
        <translation>没有名为“{0}”的向量库。</translation>
    </message>
    <message>
        <source>This computer has no network connection.</source>
        <translation>本机没有网络连接。</translation>
    </message>
    <message>
        <source>There is no {0} “{1}” here yet.</source>
        <translation>这里还没有{0}“{1}”。</translation>
    </message>
    <message>
        <source>There is no {0} “{1}”.</source>
        <translation>没有 {0}“{1}”。</translation>
    </message>
    <message>
        <source>There is nothing in it to search.</source>
        <translation>其中没有可搜索的内容。</translation>
    </message>
    <message>
        <source>There is nothing to read in document {0}.</source>
        <translation>文档 {0} 中没有可读的内容。</translation>
    </message>
    <message>
        <source>These vectors are computed again.</source>
        <translation>会重新生成这些向量。</translation>
    </message>
    <message>
        <source>They are added again, to the knowledge base “Recovered”.</source>
        <translation>它们会重新添加到知识库“Recovered”。</translation>
    </message>
    <message>
        <source>They are counted again.</source>
        <translation>会重新统计。</translation>
    </message>
    <message>
        <source>They are deleted, and computed again in idle time.</source>
        <translation>会将其删除，并在空闲时重新生成。</translation>
    </message>
    <message>
        <source>They are moved to quarantine.</source>
        <translation>它们会被移到隔离区。</translation>
    </message>
    <message>
        <source>They look like this: {&quot;name&quot;: &quot;value&quot;}</source>
        <translation>应当像这样：{&quot;name&quot;: &quot;value&quot;}</translation>
    </message>
    <message>
        <source>They are shown as “�”.</source>
        <translation>它们显示为“�”。</translation>
    </message>
    <message>
        <source>Think</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>Thinking</source>
        <translation>思考</translation>
    </message>
    <message>
        <source>This answer was recorded by an earlier version, which kept too little to continue from a step.</source>
        <translation>这个回答由较早的版本记录，保留的内容不足以从某一步继续。</translation>
    </message>
    <message>
        <source>You asked about the document itself, so I look at what it says about itself.</source>
        <translation>你问的是文档本身，因此我查看它对自身的说明。</translation>
    </message>
    <message>
        <source>You asked for a count, so I look through every passage, not only the best.</source>
        <translation>你问的是数量，因此我逐段查看，而不只看最相关的段落。</translation>
    </message>
    <message>
        <source>You asked for all of something, so I look for the table or list that contains it.</source>
        <translation>你要列出全部内容，因此我查找包含这些内容的表格或列表。</translation>
    </message>
    <message>
        <source>You asked for an overview: headings and first sentences show more than a search.</source>
        <translation>你要的是概览：标题和各节的首句比搜索更能说明内容。</translation>
    </message>
    <message>
        <source>You asked to compare documents, so I put their outlines side by side.</source>
        <translation>你要比较文档，因此我把它们的大纲并排列出。</translation>
    </message>
    <message>
        <source>You asked which documents there are, so I list them.</source>
        <translation>你问有哪些文档，因此我把它们列出来。</translation>
    </message>
    <message>
        <source>This citation is not a source of the answer.</source>
        <translation>这个引用不在回答的来源之中。</translation>
    </message>
    <message>
        <source>This computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>This computer…</source>
        <translation>本机…</translation>
    </message>
    <message>
        <source>This document cannot be shown.</source>
        <translation>无法显示该文档。</translation>
    </message>
    <message>
        <source>This document has no pages: give a section, or start and end.</source>
        <translation>这个文档没有页：请给出章节，或起止位置。</translation>
    </message>
    <message>
        <source>This document is no longer in the library.</source>
        <translation>这个文档已不在文档库中。</translation>
    </message>
    <message>
        <source>This document was removed.</source>
        <translation>该文档已被移除。</translation>
    </message>
    <message>
        <source>This edit is no longer there.</source>
        <translation>这处修改已不存在。</translation>
    </message>
    <message>
        <source>This file is not JSON.</source>
        <translation>此文件不是 JSON。</translation>
    </message>
    <message>
        <source>This file is not a session in the form {0}.</source>
        <translation>此文件不是 {0} 格式的会话。</translation>
    </message>
    <message>
        <source>The program failed while reading this file.</source>
        <translation>读取这个文件时程序出现故障。</translation>
    </message>
    <message>
        <source>This installation of the program cannot be extended.</source>
        <translation>当前安装的程序无法扩展。</translation>
    </message>
    <message>
        <source>This installation of the program loads the built-in model only. For others, install it with: {command}</source>
        <translation>当前安装的程序只能加载内置模型。要使用其他模型，请这样安装：{command}</translation>
    </message>
    <message>
        <source>This reading is already running.</source>
        <translation>这次通读已在进行。</translation>
    </message>
    <message>
        <source>This reading is running.</source>
        <translation>这次通读正在进行。</translation>
    </message>
    <message>
        <source>This is not a file.</source>
        <translation>这不是文件。</translation>
    </message>
    <message>
        <source>This is not a {0} of a session export: {1}.</source>
        <translation>这不是会话导出中的 {0}：{1}。</translation>
    </message>
    <message>
        <source>This is not the result of a query.</source>
        <translation>这不是查询结果。</translation>
    </message>
    <message>
        <source>This is version {version}.</source>
        <translation>当前版本为 {version}。</translation>
    </message>
    <message>
        <source>This library is read-only: {0} cannot be written.</source>
        <translation>此文档库为只读：无法写入 {0}。</translation>
    </message>
    <message>
        <source>This list is empty</source>
        <translation>这个列表是空的</translation>
    </message>
    <message>
        <source>This model needs sentence-transformers and torch, which are not installed: 1.1 GB, or several GB with libraries for GPUs. They are downloaded from {hosts}.</source>
        <translation>该模型需要 sentence-transformers 和 torch，尚未安装：大小为 1.1 GB，若包含显卡所需的库则为数 GB。将从 {hosts} 下载。</translation>
    </message>
    <message>
        <source>This page cannot be drawn.</source>
        <translation>无法绘制这一页。</translation>
    </message>
    <message>
        <source>This page cannot be shown.</source>
        <translation>无法显示该页。</translation>
    </message>
    <message>
        <source>This part of the text belongs to no passage, so no search can find it.</source>
        <translation>这部分文字不在任何段落中，所以搜索不到。</translation>
    </message>
    <message>
        <source>This passage is disabled: no search finds it.</source>
        <translation>这个段落已停用：搜索不到它。</translation>
    </message>
    <message>
        <source>This passage is no longer in the library.</source>
        <translation>这个段落已不在文档库中。</translation>
    </message>
    <message>
        <source>This passage is not from a document of the library.</source>
        <translation>这个段落不属于文档库中的文档。</translation>
    </message>
    <message>
        <source>This passage was changed meanwhile.</source>
        <translation>这个段落在此期间已更改。</translation>
    </message>
    <message>
        <source>This system has no keyring: the key is kept until the program ends. To have it the next time, put it into an environment variable and name that variable.</source>
        <translation>此系统没有密钥环：密钥只保留到程序结束。若要下次仍可使用，请把它放进环境变量，并填写该变量的名称。</translation>
    </message>
    <message>
        <source>This system does not let a program restrict the network or the files of its own processes.</source>
        <translation>此系统不允许程序限制自身某一部分的联网或文件访问。</translation>
    </message>
    <message>
        <source>Through the proxy {proxy}</source>
        <translation>经由代理 {proxy}</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time limit per answer</source>
        <translation>每次回答的时限</translation>
    </message>
    <message>
        <source>Time limit per file</source>
        <translation>每个文件的时限</translation>
    </message>
    <message>
        <source>Time limit per retriever</source>
        <translation>每个检索器的时限</translation>
    </message>
    <message>
        <source>Time limit per web page</source>
        <translation>每个网页的时限</translation>
    </message>
    <message>
        <source>Time zone</source>
        <translation>时区</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>To knowledge base</source>
        <translation>目标知识库</translation>
    </message>
    <message>
        <source>Token of the tool server</source>
        <translation>工具服务器的令牌</translation>
    </message>
    <message>
        <source>Token vectors</source>
        <translation>词向量</translation>
    </message>
    <message>
        <source>Tokens</source>
        <translation>Token</translation>
    </message>
    <message>
        <source>Tokens per answer</source>
        <translation>每次回答的 token 数</translation>
    </message>
    <message>
        <source>Tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Tool bar</source>
        <translation>工具栏</translation>
    </message>
    <message>
        <source>Tool calls per answer</source>
        <translation>每次回答的工具调用数</translation>
    </message>
    <message>
        <source>Tool instructions</source>
        <translation>工具说明</translation>
    </message>
    <message>
        <source>Tool protocol</source>
        <translation>工具协议</translation>
    </message>
    <message>
        <source>Tool server</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Tool servers</source>
        <translation>工具服务器</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Topic you added</source>
        <translation>你添加的主题</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Try again in a moment.</source>
        <translation>请稍后再试。</translation>
    </message>
    <message>
        <source>Try again in a moment; nothing that was saved before is lost.</source>
        <translation>请稍后再试；之前保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>Try again in {0} seconds.</source>
        <translation>请在 {0} 秒后重试。</translation>
    </message>
    <message>
        <source>Try again later, or ask for less at a time.</source>
        <translation>请稍后重试，或一次少查一些。</translation>
    </message>
    <message>
        <source>Try again later.</source>
        <translation>请稍后重试。</translation>
    </message>
    <message>
        <source>Try again when it is done.</source>
        <translation>请等它完成后重试。</translation>
    </message>
    <message>
        <source>Try all failed again</source>
        <translation>重试所有失败的</translation>
    </message>
    <message>
        <source>Try it</source>
        <translation>试一试</translation>
    </message>
    <message>
        <source>Try it again; everything else continues as before.</source>
        <translation>请重试；其他功能不受影响。</translation>
    </message>
    <message>
        <source>Try it without the page&apos;s scripts.</source>
        <translation>请试着不运行网页脚本。</translation>
    </message>
    <message>
        <source>Try to download it again.</source>
        <translation>请重新下载。</translation>
    </message>
    <message>
        <source>Try to open it and to save it again.</source>
        <translation>请试着打开并重新保存。</translation>
    </message>
    <message>
        <source>Try to open it in Jupyter and save it.</source>
        <translation>请试着在 Jupyter 中打开并保存。</translation>
    </message>
    <message>
        <source>Try to open it in a PDF viewer and save it again.</source>
        <translation>请试着用 PDF 阅读器打开并重新保存。</translation>
    </message>
    <message>
        <source>Try to open it in its own program and save it again.</source>
        <translation>请试着用其原本的程序打开并重新保存。</translation>
    </message>
    <message>
        <source>Trying…</source>
        <translation>正在尝试…</translation>
    </message>
    <message>
        <source>Type one.</source>
        <translation>请输入一个。</translation>
    </message>
    <message>
        <source>Enter the question to ask of every passage.</source>
        <translation>请输入要对每个段落提出的问题。</translation>
    </message>
    <message>
        <source>Type what you want to know.</source>
        <translation>请输入你想知道的内容。</translation>
    </message>
    <message>
        <source>Type what you wanted to find.</source>
        <translation>请输入你想找的内容。</translation>
    </message>
    <message>
        <source>Under way</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Undo the last edit</source>
        <translation>撤销上次修改</translation>
    </message>
    <message>
        <source>Undo the later change first.</source>
        <translation>请先撤销后来的更改。</translation>
    </message>
    <message>
        <source>Undone: {edit}.</source>
        <translation>已撤销：{edit}。</translation>
    </message>
    <message>
        <source>Unlink a folder</source>
        <translation>取消关联文件夹</translation>
    </message>
    <message>
        <source>Unlink the other one first, or link it to another knowledge base.</source>
        <translation>请先取消关联另一个，或把它关联到别的知识库。</translation>
    </message>
    <message>
        <source>Unlink “{name}”…</source>
        <translation>取消关联“{name}”…</translation>
    </message>
    <message>
        <source>Unlock</source>
        <translation>解锁</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消置顶</translation>
    </message>
    <message>
        <source>Unreadable</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Unreadable passages: {n:,}. {problem}</source>
        <translation>无法读取的段落：{n:,} 个。{problem}</translation>
    </message>
    <message>
        <source>Unsupported: “{0}” – {1}</source>
        <translation>无依据：“{0}”——{1}</translation>
    </message>
    <message>
        <source>Until then, they are found by their words only.</source>
        <translation>在此之前，只能按字词找到它们。</translation>
    </message>
    <message>
        <source>Update the program, or choose another library folder.</source>
        <translation>请更新程序，或选择别的文档库文件夹。</translation>
    </message>
    <message>
        <source>Update the program.</source>
        <translation>请更新程序。</translation>
    </message>
    <message>
        <source>Use B for {where}</source>
        <translation>将 B 用于{where}</translation>
    </message>
    <message>
        <source>Use IN for several.</source>
        <translation>多个值请用 IN。</translation>
    </message>
    <message>
        <source>Use at most {0}.</source>
        <translation>最多用 {0} 个。</translation>
    </message>
    <message>
        <source>Use one of {0}, AND, OR, NOT.</source>
        <translation>请使用 {0}、AND、OR、NOT 之一。</translation>
    </message>
    <message>
        <source>Use this for {where}</source>
        <translation>将此用于{where}</translation>
    </message>
    <message>
        <source>Use {letter} for</source>
        <translation>将 {letter} 用于</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>变量</translation>
    </message>
    <message>
        <source>Vector store</source>
        <translation>向量库</translation>
    </message>
    <message>
        <source>Vectors</source>
        <translation>向量</translation>
    </message>
    <message>
        <source>Damaged vectors were computed again.</source>
        <translation>已重新生成损坏的向量。</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Version {0} of {1} is available. Nothing is downloaded or installed by itself.</source>
        <translation>有新版本可用：{0}（{1}）。程序不会自行下载或安装任何内容。</translation>
    </message>
    <message>
        <source>Wait a little and ask again.</source>
        <translation>请稍候再问。</translation>
    </message>
    <message>
        <source>Wait a little, or choose another reranker.</source>
        <translation>请稍候，或换用别的重排器。</translation>
    </message>
    <message>
        <source>Wait for it, or stop it first.</source>
        <translation>请等它完成，或先停止它。</translation>
    </message>
    <message>
        <source>Wait, or choose “Read first” in its menu.</source>
        <translation>请等待，或在其菜单中选择“优先读取”。</translation>
    </message>
    <message>
        <source>Waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>Warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Was the file changed?</source>
        <translation>文件是否被改动过？</translation>
    </message>
    <message>
        <source>Ways of searching</source>
        <translation>搜索方式</translation>
    </message>
    <message>
        <source>Weak match</source>
        <translation>较弱匹配</translation>
    </message>
    <message>
        <source>Weak: “{0}” – {1}</source>
        <translation>依据不足：“{0}”——{1}</translation>
    </message>
    <message>
        <source>Weather</source>
        <translation>天气</translation>
    </message>
    <message>
        <source>Web and databases</source>
        <translation>网络与数据库</translation>
    </message>
    <message>
        <source>Web page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>Web page read by a tool</source>
        <translation>工具读取的网页</translation>
    </message>
    <message>
        <source>Web page you added</source>
        <translation>你添加的网页</translation>
    </message>
    <message>
        <source>Web search</source>
        <translation>网络搜索</translation>
    </message>
    <message>
        <source>Weight of meaning</source>
        <translation>语义的权重</translation>
    </message>
    <message>
        <source>Welcome</source>
        <translation>欢迎</translation>
    </message>
    <message>
        <source>What cannot be read is moved to quarantine; the rest stays.</source>
        <translation>无法读取的会移到隔离区，其余保留。</translation>
    </message>
    <message>
        <source>What each document says</source>
        <translation>各文档的结论</translation>
    </message>
    <message>
        <source>What is new</source>
        <translation>新变化</translation>
    </message>
    <message>
        <source>What is new…</source>
        <translation>新变化…</translation>
    </message>
    <message>
        <source>Technical details about a problem, to attach to an issue. They contain no text, names, addresses or keys, and are not sent automatically: read them first.</source>
        <translation>有关问题的技术详情，可附在问题反馈中。其中不含文本、名称、地址和密钥，也不会自动发送；请先自行查看。</translation>
    </message>
    <message>
        <source>What is missing here, and how the program works without it</source>
        <translation>本机缺少什么，以及缺少时程序如何工作</translation>
    </message>
    <message>
        <source>What leaves this computer</source>
        <translation>哪些内容离开本机</translation>
    </message>
    <message>
        <source>The part before “@” is not the site.</source>
        <translation>其中“@”之前的部分不是网站。</translation>
    </message>
    <message>
        <source>Their content is not searched.</source>
        <translation>其中的内容不会被搜索到。</translation>
    </message>
    <message>
        <source>What this computer offers, what is missing, and how the program works without it. You can work in any case.</source>
        <translation>本机具备什么、缺少什么，以及缺少时程序如何工作。这些都不会妨碍你使用。</translation>
    </message>
    <message>
        <source>The work done until then is kept.</source>
        <translation>此前已完成的部分会保留。</translation>
    </message>
    <message>
        <source>What was found in the document</source>
        <translation>文档检查结果</translation>
    </message>
    <message>
        <source>The variable for the key is not the name of an environment variable.</source>
        <translation>密钥一栏给出的不是环境变量的名称。</translation>
    </message>
    <message>
        <source>What was written so far is kept. Ask again.</source>
        <translation>已写的部分已保留。请再问一次。</translation>
    </message>
    <message>
        <source>The last changes are missing: the log beside the database was deleted.</source>
        <translation>最近的更改已丢失：数据库旁的日志被删除了。</translation>
    </message>
    <message>
        <source>What was sent, where to, and with which passages</source>
        <translation>发送了什么、发往哪里、带有哪些段落</translation>
    </message>
    <message>
        <source>Where it leads</source>
        <translation>实际去向</translation>
    </message>
    <message>
        <source>While it is allowed, this program runs outside offline mode: its own requests, and what it sends of the arguments of its tools, can neither be seen nor blocked. Offline mode stays on for everything else.</source>
        <translation>获准期间，这个程序在断网模式之外运行：它连接谁、把交给其工具的内容发往哪里，既看不到，也无法拒绝。对其他一切，断网模式仍然开启。</translation>
    </message>
    <message>
        <source>While it is on, nothing leaves this computer</source>
        <translation>开启时，任何内容都不会离开本机</translation>
    </message>
    <message>
        <source>Who answers</source>
        <translation>由谁回答</translation>
    </message>
    <message>
        <source>Who answers: {name}</source>
        <translation>由谁回答：{name}</translation>
    </message>
    <message>
        <source>Who answers; click to choose a model</source>
        <translation>由谁回答；点击选择模型</translation>
    </message>
    <message>
        <source>Who reads</source>
        <translation>由谁读</translation>
    </message>
    <message>
        <source>Whole section</source>
        <translation>整节</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Why was this document found, or not?</source>
        <translation>为什么找到或没找到这个文档？</translation>
    </message>
    <message>
        <source>Why was this found, or not?</source>
        <translation>为什么找到或没找到？</translation>
    </message>
    <message>
        <source>Why was this not found?</source>
        <translation>为什么没有找到这段文字？</translation>
    </message>
    <message>
        <source>Why was this page not found?</source>
        <translation>为什么没有找到这一页？</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Windows refuses paths of more than 260 characters to most programs. This one opens such files nevertheless; another program may not.</source>
        <translation>Windows 不允许多数程序使用超过 260 个字符的路径。本程序仍能打开这些文件，其他程序可能不能。</translation>
    </message>
    <message>
        <source>Windows cannot restrict their access to the network or to your files. A job object limits their memory and ends them with the program; the size of what they write is only watched.</source>
        <translation>Windows 无法限制它们访问网络和你的文件。作业对象会限制其内存，并使其随程序一起结束；对它们写入的数据量只能监视，不能限制。</translation>
    </message>
    <message>
        <source>With its sources as footnotes</source>
        <translation>来源作为脚注</translation>
    </message>
    <message>
        <source>Word by word</source>
        <translation>逐词</translation>
    </message>
    <message>
        <source>Word document</source>
        <translation>Word 文档</translation>
    </message>
    <message>
        <source>Word, PowerPoint and Excel</source>
        <translation>Word、PowerPoint 和 Excel</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>词语</translation>
    </message>
    <message>
        <source>Words, or tag:law format:pdf status:failed folder:Contracts author:lee is:problem year&gt;=2020 -draft (a OR b)</source>
        <translation>输入词语，或 tag:law format:pdf status:failed folder:Contracts author:lee is:problem year&gt;=2020 -draft (a OR b)</translation>
    </message>
    <message>
        <source>Working… {time}</source>
        <translation>处理中… {time}</translation>
    </message>
    <message>
        <source>Calculates exactly, so that no figure is guessed.</source>
        <translation>精确计算，数字不靠猜测。</translation>
    </message>
    <message>
        <source>1 shared library, which could not be reached</source>
        <translation>1 个无法连接的共享文档库</translation>
    </message>
    <message>
        <source>A SearXNG server refuses searches unless “json” is among the formats in its settings.yml.</source>
        <translation>SearXNG 服务器会拒绝搜索请求，除非其 settings.yml 的 formats 中有“json”。</translation>
    </message>
    <message>
        <source>A copy of the library&apos;s database in {0} is damaged and was not kept.</source>
        <translation>{0} 中文档库数据库的副本有损坏，没有保留。</translation>
    </message>
    <message>
        <source>A document has at most {0}; remove some first.</source>
        <translation>一个文档最多有 {0} 个；请先移除一些。</translation>
    </message>
    <message>
        <source>A later version of the program set up this shared library.</source>
        <translation>这个共享文档库由更新版本的程序建立。</translation>
    </message>
    <message>
        <source>A line of a document looks like a tool call; it was quoted as text and called no tool.</source>
        <translation>文档中有一行看起来像工具调用，只作为文字引用，没有调用任何工具。</translation>
    </message>
    <message>
        <source>A link to a file is not followed. Add that file itself, or turn on “Follow symbolic links”.</source>
        <translation>不跟随指向文件的链接。请直接添加该文件，或开启“跟随符号链接”。</translation>
    </message>
    <message>
        <source>A link to a folder is not followed. To search that folder, add it directly.</source>
        <translation>不跟随指向文件夹的链接。要搜索那个文件夹，请直接添加它。</translation>
    </message>
    <message>
        <source>A mark must name its question.</source>
        <translation>标记必须注明所针对的问题。</translation>
    </message>
    <message>
        <source>A new database was created from what could be read; the damaged one is in “{0}”.</source>
        <translation>已用能读出的内容建立新的数据库；损坏的那个在“{0}”中。</translation>
    </message>
    <message>
        <source>A script may create its text: save the page from the browser as it is displayed.</source>
        <translation>它的文字可能由脚本生成：请在浏览器中按显示的样子保存网页。</translation>
    </message>
    <message>
        <source>A shared knowledge base needs a name without “/”.</source>
        <translation>共享知识库的名称不能为空，也不能包含“/”。</translation>
    </message>
    <message>
        <source>A shared library cannot be named “{0}” here.</source>
        <translation>此处不能将共享文档库命名为“{0}”。</translation>
    </message>
    <message>
        <source>A shared library is a PostgreSQL database that several people search. Documents that you add to it are copied there, and your questions are searched there, too. Answers, sessions and notes stay in your own library.</source>
        <translation>共享文档库是多人共同搜索的 PostgreSQL 数据库。你添加的文档会复制到其中，你的问题也会在其中搜索。回答、会话和笔记保留在你自己的文档库中。</translation>
    </message>
    <message>
        <source>A short name, such as team</source>
        <translation>简短的名称，例如 team</translation>
    </message>
    <message>
        <source>A tool server that is a program cannot receive a token.</source>
        <translation>工具服务器是程序时，无法接收令牌。</translation>
    </message>
    <message>
        <source>A user&apos;s name has at most {0} characters, and no invisible ones.</source>
        <translation>用户名最多 {0} 个字符，且不能含有看不见的字符。</translation>
    </message>
    <message>
        <source>Access</source>
        <translation>权限</translation>
    </message>
    <message>
        <source>Access of “{name}”</source>
        <translation>“{name}”的权限</translation>
    </message>
    <message>
        <source>Add another manager first.</source>
        <translation>请先添加另一位管理员。</translation>
    </message>
    <message>
        <source>Address of the shared library</source>
        <translation>共享文档库的地址</translation>
    </message>
    <message>
        <source>All settings have their default values.</source>
        <translation>所有设置均为默认值。</translation>
    </message>
    <message>
        <source>An answer in another session is waiting for you to approve a tool call.</source>
        <translation>另一个会话的回答在等你批准工具调用。</translation>
    </message>
    <message>
        <source>Archives nested more than two deep are not opened.</source>
        <translation>不打开嵌套超过两层的压缩包。</translation>
    </message>
    <message>
        <source>As the library</source>
        <translation>与文档库相同</translation>
    </message>
    <message>
        <source>Ask one of its managers: “workbench shared members” lists them.</source>
        <translation>请联系其管理员：“workbench shared members”会列出他们。</translation>
    </message>
    <message>
        <source>Ask this agent</source>
        <translation>向此智能体提问</translation>
    </message>
    <message>
        <source>Backups are made and restored in {command}.</source>
        <translation>备份的创建和恢复在{command}中进行。</translation>
    </message>
    <message>
        <source>Both answers are identical.</source>
        <translation>两个回答完全相同。</translation>
    </message>
    <message>
        <source>Change it in the file, and add the file again.</source>
        <translation>请在文件中更改，然后重新添加该文件。</translation>
    </message>
    <message>
        <source>Change the file and add it again; or add it to your own library.</source>
        <translation>请修改文件后重新添加，或将其添加到你自己的文档库。</translation>
    </message>
    <message>
        <source>Check for a newer version</source>
        <translation>检查新版本</translation>
    </message>
    <message>
        <source>Check the address and that the server is running; nothing is lost. It is tried again at the next search.</source>
        <translation>请检查地址以及服务器是否正在运行；没有任何内容丢失。下次搜索时会重试。</translation>
    </message>
    <message>
        <source>Choose a short name without “/” that no other one has.</source>
        <translation>请选择一个不含“/”且未被使用的简短名称。</translation>
    </message>
    <message>
        <source>Choose adjacent passages.</source>
        <translation>请选择相邻的段落。</translation>
    </message>
    <message>
        <source>Choose other knowledge bases for it, or ask another agent.</source>
        <translation>请为它选择其他知识库，或询问别的智能体。</translation>
    </message>
    <message>
        <source>Choose read, write, manage or none.</source>
        <translation>请选择 read、write、manage 或 none。</translation>
    </message>
    <message>
        <source>Choose the other API format in this profile, or update the server.</source>
        <translation>请在此配置中选择另一种 API 格式，或更新服务器。</translation>
    </message>
    <message>
        <source>Choose “Continue” to ask again.</source>
        <translation>选择“继续”即可再问一次。</translation>
    </message>
    <message>
        <source>Choosing sample passages</source>
        <translation>正在选取样本段落</translation>
    </message>
    <message>
        <source>Clear “Only changed settings” to search all of them.</source>
        <translation>取消勾选“仅显示已更改的设置”，即可在全部设置中搜索。</translation>
    </message>
    <message>
        <source>Collapse</source>
        <translation>收起</translation>
    </message>
    <message>
        <source>Collapse or expand a folder</source>
        <translation>折叠或展开文件夹</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>连接</translation>
    </message>
    <message>
        <source>Connect to another one</source>
        <translation>连接另一个</translation>
    </message>
    <message>
        <source>Connect to it again: “workbench shared connect”.</source>
        <translation>请重新连接：“workbench shared connect”。</translation>
    </message>
    <message>
        <source>Connect to it: “workbench shared connect”; or use another database.</source>
        <translation>请连接到它：“workbench shared connect”；或使用另一个数据库。</translation>
    </message>
    <message>
        <source>Connected to the shared library “{name}”</source>
        <translation>已连接共享文档库“{name}”</translation>
    </message>
    <message>
        <source>Damaged word vectors were deleted; they will be computed again when the program is idle.</source>
        <translation>损坏的词向量已删除，空闲时会重新生成。</translation>
    </message>
    <message>
        <source>Disconnect from “{name}”</source>
        <translation>断开与“{name}”的连接</translation>
    </message>
    <message>
        <source>Disconnected from the shared library “{name}”</source>
        <translation>已断开与共享文档库“{name}”的连接</translation>
    </message>
    <message>
        <source>Documents of a shared library cannot be changed like this yet.</source>
        <translation>共享文档库中的文档目前还不能这样修改。</translation>
    </message>
    <message>
        <source>Documents with a wrong number of passages: {0}.</source>
        <translation>段落数不正确的文档：{0}。</translation>
    </message>
    <message>
        <source>Duplicate it and edit the copy.</source>
        <translation>请复制一份再修改。</translation>
    </message>
    <message>
        <source>Each changed setting has a button that resets it, and each page has one for the whole page.</source>
        <translation>每项已更改的设置旁都有重置按钮，每页底部还有重置整页的按钮。</translation>
    </message>
    <message>
        <source>Each library is a folder; {command} opens or creates one in another place.</source>
        <translation>每个文档库都是一个文件夹；用{command}在其他位置打开或新建文档库。</translation>
    </message>
    <message>
        <source>Enter a name of at most {0} characters.</source>
        <translation>请输入不超过 {0} 个字符的名称。</translation>
    </message>
    <message>
        <source>Enter a name, for example “contracts”.</source>
        <translation>请输入名称，例如“contracts”。</translation>
    </message>
    <message>
        <source>Enter a name, for example “work”.</source>
        <translation>请输入名称，例如“work”。</translation>
    </message>
    <message>
        <source>Enter a number with at most 15 digits before the decimal point.</source>
        <translation>请输入小数点前最多 15 位的数字。</translation>
    </message>
    <message>
        <source>Enter a single SELECT statement.</source>
        <translation>请只输入一条 SELECT 语句。</translation>
    </message>
    <message>
        <source>Enter a single SELECT statement; check its names and spelling.</source>
        <translation>请只输入一条 SELECT 语句；请检查名称和拼写。</translation>
    </message>
    <message>
        <source>Enter a value, or remove the key.</source>
        <translation>请填写一个值，或移除这个键。</translation>
    </message>
    <message>
        <source>Enter an address like https://en.wikipedia.org/wiki/{topic} in the settings.</source>
        <translation>请在设置中填写类似 https://en.wikipedia.org/wiki/{topic} 的地址。</translation>
    </message>
    <message>
        <source>Enter an address that begins with https:// or http://.</source>
        <translation>请输入以 https:// 或 http:// 开头的地址。</translation>
    </message>
    <message>
        <source>Enter exactly one of the two.</source>
        <translation>请只给出其中之一。</translation>
    </message>
    <message>
        <source>Enter it again: “workbench shared key”. Nothing is lost.</source>
        <translation>请重新输入：“workbench shared key”。没有任何内容丢失。</translation>
    </message>
    <message>
        <source>Enter it like postgresql://name@localhost:5432/database.</source>
        <translation>请按 postgresql://name@localhost:5432/database 的形式输入。</translation>
    </message>
    <message>
        <source>Enter only the token, without “Bearer” before it.</source>
        <translation>请只填写令牌，前面不要加“Bearer”。</translation>
    </message>
    <message>
        <source>Enter the number of one of these: {0}.</source>
        <translation>请给出其中一个的编号：{0}。</translation>
    </message>
    <message>
        <source>Everything is saved at once, so there is nothing to set.</source>
        <translation>所有内容都会立即保存，无需设置。</translation>
    </message>
    <message>
        <source>Files are read in separate processes with limits on time, memory, files and output.</source>
        <translation>文件在独立进程中读取，时间、内存、文件和输出均有上限。</translation>
    </message>
    <message>
        <source>Files are read in separate processes: no network, no programs except LibreOffice and Tesseract, and limits on time, memory, files and output.</source>
        <translation>文件在独立进程中读取：不能联网，除 LibreOffice 和 Tesseract 外不能启动程序，时间、内存、文件和输出均有上限。</translation>
    </message>
    <message>
        <source>Files are read in separate processes: no network, no writing outside their temporary folder, no access to other documents, no programs except LibreOffice and Tesseract, and limits on time, memory, files and output.</source>
        <translation>文件在独立进程中读取：不能联网，不能写入临时文件夹以外的位置，看不到其他文档，除 LibreOffice 和 Tesseract 外不能启动程序，时间、内存、文件和输出均有上限。</translation>
    </message>
    <message>
        <source>Footnotes</source>
        <translation>脚注</translation>
    </message>
    <message>
        <source>Hidden files in a folder are left out. To search this file, add it directly.</source>
        <translation>文件夹中的隐藏文件会被略去。要搜索此文件，请直接添加它。</translation>
    </message>
    <message>
        <source>Importing “{0}”</source>
        <translation>正在导入“{0}”</translation>
    </message>
    <message>
        <source>In any currency. If you leave it out, no cost is shown.</source>
        <translation>币种不限；不填则不显示费用。</translation>
    </message>
    <message>
        <source>Index the documents again with the current embedding model.</source>
        <translation>请用当前的嵌入模型重新索引文档。</translation>
    </message>
    <message>
        <source>Install the newest version of the program.</source>
        <translation>请安装程序的最新版本。</translation>
    </message>
    <message>
        <source>Install the newest version of the program; until then it is searched by keyword only.</source>
        <translation>请安装程序的最新版本；在此之前只按关键词搜索。</translation>
    </message>
    <message>
        <source>Install them: pip install “knowledge-workbench[shared]”.</source>
        <translation>请安装：pip install “knowledge-workbench[shared]”。</translation>
    </message>
    <message>
        <source>Instructions belong to an agent; {command} shows them.</source>
        <translation>提示词属于智能体，可在{command}中查看。</translation>
    </message>
    <message>
        <source>It can read {0:d} tokens at once.</source>
        <translation>它一次能读取 {0} 个 token。</translation>
    </message>
    <message>
        <source>It can read {0} tokens at once; {1:d} of the text is beyond that. Such passages are embedded in parts, so single sentences in them are harder to find by meaning.</source>
        <translation>模型一次能读取 {0} 个 token，{1} 的文字超出了这个长度。这样的段落会分几部分嵌入，因此按语义较难找到其中的单个句子。</translation>
    </message>
    <message>
        <source>It contains metadata of other files. To search it as a document, add it directly.</source>
        <translation>它包含其他文件的元数据。要把它当作文档搜索，请直接添加它。</translation>
    </message>
    <message>
        <source>It does not accept “num_documents”: results beyond that number are left out.</source>
        <translation>它不接受“num_documents”：超出该数量的结果会被略去。</translation>
    </message>
    <message>
        <source>It is empty now, so nothing was removed. If that is intended, unlink it and remove its documents.</source>
        <translation>它现在是空的，所以没有移除任何文档。如果确实如此，请取消关联并移除其文档。</translation>
    </message>
    <message>
        <source>It is found if you add “{0}” and “{1}” to the question.</source>
        <translation>在问题中加上“{0}”和“{1}”，就能找到。</translation>
    </message>
    <message>
        <source>It is found if you add “{0}” to the question.</source>
        <translation>在问题中加上“{0}”，就能找到。</translation>
    </message>
    <message>
        <source>It is found if you add “{0}”, “{1}” and “{2}” to the question.</source>
        <translation>在问题中加上“{0}”“{1}”和“{2}”，就能找到。</translation>
    </message>
    <message>
        <source>It is found if you add “{0}”, “{1}”, “{2}” and “{3}” to the question.</source>
        <translation>在问题中加上“{0}”“{1}”“{2}”和“{3}”，就能找到。</translation>
    </message>
    <message>
        <source>It needs the argument {0}, which is not passed: give it a default. The arguments passed are {1}.</source>
        <translation>它需要参数 {0}，但调用时不会传入：请为它设默认值。会传入的参数有 {1}。</translation>
    </message>
    <message>
        <source>It needs the arguments {0}, which are not passed: give them defaults. The arguments passed are {1}.</source>
        <translation>它需要参数 {0}，但调用时不会传入：请为它们设默认值。会传入的参数有 {1}。</translation>
    </message>
    <message>
        <source>It was copied to the shared library; a worker reads it.</source>
        <translation>已复制到共享文档库，将由处理进程读取。</translation>
    </message>
    <message>
        <source>It was stopped because it is no longer allowed to use the network.</source>
        <translation>它已被停止，因为它不再获准使用网络。</translation>
    </message>
    <message>
        <source>It will be read again once it is complete.</source>
        <translation>等它完整后会重新读取。</translation>
    </message>
    <message>
        <source>It {0} while starting.</source>
        <translation>启动时{0}。</translation>
    </message>
    <message>
        <source>Its YAML contains an invalid value.</source>
        <translation>其 YAML 含有无效的值。</translation>
    </message>
    <message>
        <source>Its administrator creates one: CREATE ROLE … LOGIN PASSWORD …</source>
        <translation>由其管理员创建：CREATE ROLE … LOGIN PASSWORD …</translation>
    </message>
    <message>
        <source>Its administrator has to free some; nothing that was saved before is lost.</source>
        <translation>需要其管理员释放空间；之前保存的内容没有丢失。</translation>
    </message>
    <message>
        <source>Its administrator installs it once: CREATE EXTENSION vector. It has to be version 0.7 or later.</source>
        <translation>由其管理员安装一次：CREATE EXTENSION vector。需要 0.7 或更高版本。</translation>
    </message>
    <message>
        <source>Its administrator sets it up once: “workbench shared create”. See packaging/SHARED.md.</source>
        <translation>由其管理员建立一次：“workbench shared create”。参见 packaging/SHARED.md。</translation>
    </message>
    <message>
        <source>Its front matter does not end with a line of three dashes.</source>
        <translation>其头信息（front matter）没有以三个短横线的一行结束。</translation>
    </message>
    <message>
        <source>Its front matter is longer than {0:d} characters.</source>
        <translation>其头信息（front matter）超过 {0} 个字符。</translation>
    </message>
    <message>
        <source>Its name has no extension, and it contains no text.</source>
        <translation>文件名没有扩展名，内容也不是文字。</translation>
    </message>
    <message>
        <source>Its type may differ from what its name says.</source>
        <translation>它的类型可能与文件名不符。</translation>
    </message>
    <message>
        <source>Libraries in PostgreSQL that several people search</source>
        <translation>多人共同搜索的 PostgreSQL 文档库</translation>
    </message>
    <message>
        <source>Links to files in it are not followed: {0}. To follow them, turn on “Follow symbolic links”.</source>
        <translation>未跟随其中指向文件的链接：{0} 个。要跟随它们，请开启“跟随符号链接”。</translation>
    </message>
    <message>
        <source>Make a new library.</source>
        <translation>请新建一个文档库。</translation>
    </message>
    <message>
        <source>Mark a citation that is a source of the answer.</source>
        <translation>请标记属于回答来源的引用。</translation>
    </message>
    <message>
        <source>Mark a passage of a document in the library.</source>
        <translation>请标记文档库中文档的段落。</translation>
    </message>
    <message>
        <source>May add and remove documents</source>
        <translation>可以添加和移除文档</translation>
    </message>
    <message>
        <source>May also manage members</source>
        <translation>还可以管理成员</translation>
    </message>
    <message>
        <source>May read</source>
        <translation>可以阅读</translation>
    </message>
    <message>
        <source>Members of “{name}”</source>
        <translation>“{name}”的成员</translation>
    </message>
    <message>
        <source>Members of “{name}”…</source>
        <translation>“{name}”的成员…</translation>
    </message>
    <message>
        <source>Members…</source>
        <translation>成员…</translation>
    </message>
    <message>
        <source>Merge with the previous</source>
        <translation>与上一段合并</translation>
    </message>
    <message>
        <source>Most often, {0} times: “{1}…” Searches show identical passages only once.</source>
        <translation>重复最多的出现了 {0} 次：“{1}…”。搜索时，相同的段落只显示一次。</translation>
    </message>
    <message>
        <source>Move the knowledge base</source>
        <translation>移动知识库</translation>
    </message>
    <message>
        <source>Name of a new knowledge base</source>
        <translation>新知识库的名称</translation>
    </message>
    <message>
        <source>Name of a new knowledge base in “{name}”</source>
        <translation>“{name}”中新知识库的名称</translation>
    </message>
    <message>
        <source>Name of a user of the server</source>
        <translation>服务器用户的名称</translation>
    </message>
    <message>
        <source>Name of the shared library</source>
        <translation>共享文档库的名称</translation>
    </message>
    <message>
        <source>Neither has any steps</source>
        <translation>两者都没有步骤</translation>
    </message>
    <message>
        <source>No changed setting matches “{text}”.</source>
        <translation>没有与“{text}”匹配的已更改设置。</translation>
    </message>
    <message>
        <source>No database is specified.</source>
        <translation>没有指定数据库。</translation>
    </message>
    <message>
        <source>No document in your library is locked any more; ask again</source>
        <translation>文档库中已没有锁定的文档，请重新提问</translation>
    </message>
    <message>
        <source>No document matches this filter.</source>
        <translation>没有文档符合这个筛选。</translation>
    </message>
    <message>
        <source>No passage matches this filter, so there is nothing to read.</source>
        <translation>没有段落符合这个筛选，因此没有可读的内容。</translation>
    </message>
    <message>
        <source>No passages</source>
        <translation>没有段落</translation>
    </message>
    <message>
        <source>No setting matches “{text}”.</source>
        <translation>没有与“{text}”匹配的设置。</translation>
    </message>
    <message>
        <source>No shared libraries</source>
        <translation>没有共享文档库</translation>
    </message>
    <message>
        <source>No text was read from {0}, so searches cannot find it.</source>
        <translation>没有从{0}读到文字，所以搜索不到它。</translation>
    </message>
    <message>
        <source>None of the {0:d} questions can be evaluated.</source>
        <translation>{0} 个问题都无法评测。</translation>
    </message>
    <message>
        <source>Nothing in the database could be read: sessions, settings and manual changes are lost.</source>
        <translation>数据库已完全无法读取：会话、设置和手动所做的更改都已丢失。</translation>
    </message>
    <message>
        <source>Nothing was found, but 1 passage could not be read, so this is not certain.</source>
        <translation>没有找到；但有 1 个段落无法读取，因此不能完全确定。</translation>
    </message>
    <message>
        <source>Nothing was found, but {0:d} passages could not be read, so this is not certain.</source>
        <translation>没有找到；但有 {0} 个段落无法读取，因此不能完全确定。</translation>
    </message>
    <message>
        <source>Only a query that reads data is run: a single SELECT statement.</source>
        <translation>只运行读取数据的查询：一条 SELECT 语句。</translation>
    </message>
    <message>
        <source>Only web and e-mail addresses are opened.</source>
        <translation>只打开网页地址和邮件地址。</translation>
    </message>
    <message>
        <source>Open it in a place that you can write to, or copy the whole folder to such a place.</source>
        <translation>请在可以写入的位置打开它，或将整个文件夹复制到这样的位置。</translation>
    </message>
    <message>
        <source>Open it in the program that made it and save it again, then read it again.</source>
        <translation>请在创建它的程序中打开并重新保存，然后再次读取。</translation>
    </message>
    <message>
        <source>Open it once in a place that you can write to, or choose another library folder.</source>
        <translation>请在可以写入的位置打开一次，或选择其他文档库文件夹。</translation>
    </message>
    <message>
        <source>Open it once where it is writable and not open in another program: in the window, or with “workbench check”.</source>
        <translation>请在可以写入且没有被其他程序打开的情况下打开一次：在窗口中，或使用“workbench check”。</translation>
    </message>
    <message>
        <source>Pages of partly read files</source>
        <translation>部分读取的文件的页面</translation>
    </message>
    <message>
        <source>Passages in the keyword index that no longer exist: {0}.</source>
        <translation>关键词索引中已不存在的段落：{0}。</translation>
    </message>
    <message>
        <source>Passages whose words differ from the keyword index: {0}.</source>
        <translation>词语与关键词索引不符的段落：{0}。</translation>
    </message>
    <message>
        <source>Passages with damaged word vectors: {0}.</source>
        <translation>词向量已损坏的段落：{0}。</translation>
    </message>
    <message>
        <source>Password of the shared library</source>
        <translation>共享文档库的密码</translation>
    </message>
    <message>
        <source>Query less data at a time.</source>
        <translation>请每次少查询一些数据。</translation>
    </message>
    <message>
        <source>Read here</source>
        <translation>在此读取</translation>
    </message>
    <message>
        <source>Read it again. If this happens again, check whether a virus scanner or a limit set by your administrator stops programs on this computer.</source>
        <translation>请重新读取。如果再次发生，请检查本机上的杀毒软件或管理员设置的限制是否会中止程序。</translation>
    </message>
    <message>
        <source>Read {0} by OCR: choose the button in “Document check”.</source>
        <translation>请用 OCR 识别{0}：在“文档检查”中点击相应的按钮。</translation>
    </message>
    <message>
        <source>Reading the file started one program after another, so it was stopped.</source>
        <translation>读取该文件时不断启动程序，因此已停止读取。</translation>
    </message>
    <message>
        <source>Recall the last question</source>
        <translation>调出上一个问题</translation>
    </message>
    <message>
        <source>Remove “{name}”</source>
        <translation>移除“{name}”</translation>
    </message>
    <message>
        <source>Repair it with “Check the library…” or “workbench repair”. This deletes nothing.</source>
        <translation>请用“检查文档库…”或“workbench repair”修复。修复不会删除任何内容。</translation>
    </message>
    <message>
        <source>Requests the page from its server.</source>
        <translation>向网页的服务器请求该网页。</translation>
    </message>
    <message>
        <source>Restore a backup: “workbench backup list” shows the backups. Nothing was changed.</source>
        <translation>请还原备份：“workbench backup list”会列出现有备份。没有更改任何内容。</translation>
    </message>
    <message>
        <source>Run the plan</source>
        <translation>执行计划</translation>
    </message>
    <message>
        <source>Say what to change: a result or the question.</source>
        <translation>请说明要更改什么：结果还是问题。</translation>
    </message>
    <message>
        <source>Search by</source>
        <translation>搜索方式</translation>
    </message>
    <message>
        <source>Separate them with commas.</source>
        <translation>请用逗号分隔。</translation>
    </message>
    <message>
        <source>Sessions are removed and archived in the list of sessions; {command} leads there.</source>
        <translation>会话在会话列表中删除和归档；用{command}前往该列表。</translation>
    </message>
    <message>
        <source>Set up and connect</source>
        <translation>建立并连接</translation>
    </message>
    <message>
        <source>Set “Tools” of this profile to “As text”, or choose a model that can call tools.</source>
        <translation>请把此配置的“工具”设为“以文本方式”，或选择能调用工具的模型。</translation>
    </message>
    <message>
        <source>Sets up a shared library in an empty database, then connects to it</source>
        <translation>在空数据库中建立共享文档库，然后连接</translation>
    </message>
    <message>
        <source>Shared libraries</source>
        <translation>共享文档库</translation>
    </message>
    <message>
        <source>Shared libraries need packages that are not installed.</source>
        <translation>共享文档库需要的软件包尚未安装。</translation>
    </message>
    <message>
        <source>Shared libraries…</source>
        <translation>共享文档库…</translation>
    </message>
    <message>
        <source>Shared library</source>
        <translation>共享文档库</translation>
    </message>
    <message>
        <source>Some data in the library can no longer be read.</source>
        <translation>文档库中的部分数据已无法读取。</translation>
    </message>
    <message>
        <source>The address of the shared library is not a valid URL.</source>
        <translation>共享文档库的地址不是有效的 URL。</translation>
    </message>
    <message>
        <source>The agent “{0}” is built in and cannot be changed.</source>
        <translation>智能体“{0}”是内置的，不能更改。</translation>
    </message>
    <message>
        <source>The agent “{0}” is built in and cannot be removed.</source>
        <translation>智能体“{0}”是内置的，不能移除。</translation>
    </message>
    <message>
        <source>The answer ended before a search found any.</source>
        <translation>回答在搜索找到段落之前就结束了。</translation>
    </message>
    <message>
        <source>The connection names a service instead of a server address.</source>
        <translation>该连接写的是服务名，而不是服务器地址。</translation>
    </message>
    <message>
        <source>The file contains {0:d} million characters of text; the limit for one file is {1} million.</source>
        <translation>该文件包含 {0} 百万个字符的文字；单个文件的上限是 {1} 百万个字符。</translation>
    </message>
    <message>
        <source>The file has {0:d} MB; the limit for files of this kind is {1} MB.</source>
        <translation>该文件有 {0} MB；此类文件的上限是 {1} MB。</translation>
    </message>
    <message>
        <source>The file no longer provides it.</source>
        <translation>该文件已不再提供它。</translation>
    </message>
    <message>
        <source>The file unpacked to so much that it filled the disk, so reading was stopped.</source>
        <translation>该文件解压出的内容占满了磁盘，因此已停止读取。</translation>
    </message>
    <message>
        <source>The file unpacks to more than the limit for one file.</source>
        <translation>该文件解压后的内容超过单个文件的上限。</translation>
    </message>
    <message>
        <source>The filter “{0}” must be a number.</source>
        <translation>筛选条件“{0}”的值应为数字。</translation>
    </message>
    <message>
        <source>The folder and the format are chosen at each export, in {command}.</source>
        <translation>文件夹和格式在每次导出时选择：{command}。</translation>
    </message>
    <message>
        <source>The key contains invalid characters.</source>
        <translation>密钥中有无效字符。</translation>
    </message>
    <message>
        <source>The keys cannot be changed; {command} lists them.</source>
        <translation>快捷键无法更改；{command}列出了所有快捷键。</translation>
    </message>
    <message>
        <source>The knowledge base “{0}” cannot be renamed or removed.</source>
        <translation>知识库“{0}”不能重命名或移除。</translation>
    </message>
    <message>
        <source>The knowledge base “{name}” now uses {store}.</source>
        <translation>知识库“{name}”现在使用 {store}。</translation>
    </message>
    <message>
        <source>The library</source>
        <translation>整个文档库</translation>
    </message>
    <message>
        <source>The library in {0} cannot be read: a program that was killed left changes in its log, or you have no permission to read its files.</source>
        <translation>无法读取 {0} 中的文档库：被强行结束的程序在其日志中留下了更改，或者你无权读取其文件。</translation>
    </message>
    <message>
        <source>The library in {0} was not closed properly: its last changes are still in {1} and cannot be applied in a read-only place.</source>
        <translation>{0} 中的文档库未正常关闭：最后的更改仍在 {1} 中，在只读的位置无法应用。</translation>
    </message>
    <message>
        <source>The library {0} was opened read-only.</source>
        <translation>文档库 {0} 是以只读方式打开的。</translation>
    </message>
    <message>
        <source>The library&apos;s database in {0} can no longer be read at all.</source>
        <translation>{0} 中文档库的数据库已完全无法读取。</translation>
    </message>
    <message>
        <source>The lists belong to another search index.</source>
        <translation>这些列表属于另一个搜索索引。</translation>
    </message>
    <message>
        <source>The map is being updated.</source>
        <translation>地图正在更新。</translation>
    </message>
    <message>
        <source>The model could not check its answer, so only the wording was checked. {0}</source>
        <translation>模型无法核对自己的回答，因此只核对了文字。{0}</translation>
    </message>
    <message>
        <source>The name of this site contains letters that look like others. The address shows its real spelling.</source>
        <translation>此网站的名称含有容易与其他字母混淆的字母。地址中显示的是它的实际写法。</translation>
    </message>
    <message>
        <source>The only question cannot be evaluated.</source>
        <translation>唯一的问题无法评测。</translation>
    </message>
    <message>
        <source>The original file of this document is not in the shared library.</source>
        <translation>共享文档库中没有此文档的原始文件。</translation>
    </message>
    <message>
        <source>The page did not load within {0}.</source>
        <translation>网页在 {0}内没有加载完成。</translation>
    </message>
    <message>
        <source>The page&apos;s scripts did not finish within {0}.</source>
        <translation>网页的脚本在 {0}内没有运行完。</translation>
    </message>
    <message>
        <source>The passages found were compressed from {0:d} to {1:d} tokens to fit the model; {2} left out. The sources show them in full.</source>
        <translation>找到的段落已从 {0} 个 token 压缩到 {1} 个，以便模型容纳；略去了{2}。来源中显示全文。</translation>
    </message>
    <message>
        <source>The picture is too large: {0:d} x {1:d} pixels.</source>
        <translation>图片太大：{0} × {1} 像素。</translation>
    </message>
    <message>
        <source>The profile “offline” is built in and cannot be removed.</source>
        <translation>配置“offline”是内置的，不能移除。</translation>
    </message>
    <message>
        <source>The query&apos;s result was shortened: {0} were kept.</source>
        <translation>查询结果已截短：{0}。</translation>
    </message>
    <message>
        <source>The same as for question {n}.</source>
        <translation>与问题 {n} 相同。</translation>
    </message>
    <message>
        <source>The search found no passages for this question.</source>
        <translation>搜索没有找到与此问题相关的段落。</translation>
    </message>
    <message>
        <source>The search index differs from the vectors: {0} missing, {1} too many.</source>
        <translation>搜索索引与向量不一致：缺少 {0} 个，多出 {1} 个。</translation>
    </message>
    <message>
        <source>The sentence and the passage disagree: only one of them says “not”.</source>
        <translation>这句话与段落不一致：只有一方是否定的。</translation>
    </message>
    <message>
        <source>The server has no user “{0}”.</source>
        <translation>服务器上没有用户“{0}”。</translation>
    </message>
    <message>
        <source>The server is busy or down for maintenance ({0:d}).</source>
        <translation>服务器繁忙或正在维护（{0}）。</translation>
    </message>
    <message>
        <source>The server lacks the extension pgvector, or you may not install it.</source>
        <translation>服务器缺少 pgvector 扩展，或你无权安装。</translation>
    </message>
    <message>
        <source>The server of the shared library, {0}, has no room left.</source>
        <translation>共享文档库的服务器 {0} 已没有剩余空间。</translation>
    </message>
    <message>
        <source>The server of the shared library, {0}, is too slow.</source>
        <translation>共享文档库的服务器 {0} 响应过慢。</translation>
    </message>
    <message>
        <source>The server of the shared library, {0}, refused the name or password.</source>
        <translation>共享文档库的服务器 {0} 拒绝了用户名或密码。</translation>
    </message>
    <message>
        <source>The shared knowledge base has this file already.</source>
        <translation>共享知识库中已有此文件。</translation>
    </message>
    <message>
        <source>The shared library cannot be reached: {0}.</source>
        <translation>无法连接共享文档库：{0}。</translation>
    </message>
    <message>
        <source>The shared library “{0}” was not searched. {1}</source>
        <translation>未搜索共享文档库“{0}”。{1}</translation>
    </message>
    <message>
        <source>The shared library “{name}” can be reached again.</source>
        <translation>共享文档库“{name}”已恢复连接。</translation>
    </message>
    <message>
        <source>The shared library “{name}” cannot be reached. The rest is searched.</source>
        <translation>无法连接共享文档库“{name}”。其余内容仍会搜索。</translation>
    </message>
    <message>
        <source>The text is longer than {0:d} characters: shorten it, or divide it into several.</source>
        <translation>文字超过 {0} 个字符：请缩短，或分成几条。</translation>
    </message>
    <message>
        <source>The title of a document in a shared library cannot be changed yet.</source>
        <translation>目前还不能更改共享文档库中文档的标题。</translation>
    </message>
    <message>
        <source>The user chose from the passages found: {n} sent to the model, {left_out} left out, {added} added.</source>
        <translation>用户对找到的段落做了挑选：交给模型 {n} 个，去掉 {left_out} 个，补充 {added} 个。</translation>
    </message>
    <message>
        <source>The window of that program offers a problem report that you can attach to an issue.</source>
        <translation>那个程序的窗口中有一份问题报告，反馈问题时可以附上。</translation>
    </message>
    <message>
        <source>There are no accounts; {command} changes the user.</source>
        <translation>本程序没有账号；用{command}更换用户。</translation>
    </message>
    <message>
        <source>There are too many shared libraries.</source>
        <translation>共享文档库太多。</translation>
    </message>
    <message>
        <source>There is a shared knowledge base “{0}” already.</source>
        <translation>已经有名为“{0}”的共享知识库。</translation>
    </message>
    <message>
        <source>There is no shared knowledge base “{0}”.</source>
        <translation>没有共享知识库“{0}”。</translation>
    </message>
    <message>
        <source>There is no text in this file.</source>
        <translation>此文件中没有文字。</translation>
    </message>
    <message>
        <source>There was no document to search</source>
        <translation>没有可搜索的文档</translation>
    </message>
    <message>
        <source>This database contains a shared library already.</source>
        <translation>此数据库中已有共享文档库。</translation>
    </message>
    <message>
        <source>This database is not a shared library of this program yet.</source>
        <translation>此数据库还不是本程序的共享文档库。</translation>
    </message>
    <message>
        <source>This document belongs to a shared library that you are not connected to any more.</source>
        <translation>此文档属于你已断开连接的共享文档库。</translation>
    </message>
    <message>
        <source>This keeps users apart but does not protect them: anyone who can open the library&apos;s folder can read what every user asked and what is remembered about them.</source>
        <translation>这只是把用户分开，并不提供保护：凡是能打开文档库文件夹的人，都能读到每个用户问过的内容，以及记住的关于他们的内容。</translation>
    </message>
    <message>
        <source>This program sends no telemetry. {command} lists what left this computer.</source>
        <translation>本程序不发送遥测数据。{command}列出了离开本机的内容。</translation>
    </message>
    <message>
        <source>This session contains only the pages that its answers cite.</source>
        <translation>这个会话只附带了回答所引用的页。</translation>
    </message>
    <message>
        <source>To hide it from searches, disable it.</source>
        <translation>如果不想让它被搜索到，请停用它。</translation>
    </message>
    <message>
        <source>Tools are called as text, as set in this profile.</source>
        <translation>按此配置，以文本方式调用工具。</translation>
    </message>
    <message>
        <source>Try again later; nothing is lost.</source>
        <translation>请稍后重试；没有任何内容丢失。</translation>
    </message>
    <message>
        <source>Try another word, or look for a command: “{command}” ({key}).</source>
        <translation>请换一个词，或查找命令：“{command}”（{key}）。</translation>
    </message>
    <message>
        <source>Unlock the documents that need a password, and read them</source>
        <translation>解锁需要密码的文档并读取它们</translation>
    </message>
    <message>
        <source>Vectors that differ in the search index: {0}.</source>
        <translation>搜索索引中内容不同的向量：{0}。</translation>
    </message>
    <message>
        <source>Waiting for a worker</source>
        <translation>等待处理进程</translation>
    </message>
    <message>
        <source>What to move</source>
        <translation>要移动的内容</translation>
    </message>
    <message>
        <source>Workspaces</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>Worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>Write a condition there, for example format:pdf.</source>
        <translation>请在那里写一个条件，例如 format:pdf。</translation>
    </message>
    <message>
        <source>Write at least one, or answer without a plan.</source>
        <translation>至少写一步，或者不用计划直接回答。</translation>
    </message>
    <message>
        <source>Write at most {0} characters.</source>
        <translation>最多 {0} 个字符。</translation>
    </message>
    <message>
        <source>Write it again.</source>
        <translation>请重新写一份。</translation>
    </message>
    <message>
        <source>Write it like 2024, 2024-05 or 2024-05-31.</source>
        <translation>请写成 2024、2024-05 或 2024-05-31。</translation>
    </message>
    <message>
        <source>Write it with fewer brackets inside brackets.</source>
        <translation>请减少括号的嵌套。</translation>
    </message>
    <message>
        <source>Write one after “{0}”.</source>
        <translation>请在“{0}”后写一个值。</translation>
    </message>
    <message>
        <source>Write one of {0}.</source>
        <translation>请写其中之一：{0}。</translation>
    </message>
    <message>
        <source>Write one short sentence.</source>
        <translation>请写一个短句。</translation>
    </message>
    <message>
        <source>Write one without a comma.</source>
        <translation>请写一个不带逗号的值。</translation>
    </message>
    <message>
        <source>Write one, for example {0}:2..5.</source>
        <translation>请写上，例如 {0}:2..5。</translation>
    </message>
    <message>
        <source>Write something first.</source>
        <translation>请先写点什么。</translation>
    </message>
    <message>
        <source>Write to this address?</source>
        <translation>给此地址写邮件？</translation>
    </message>
    <message>
        <source>Write “)” where it ends.</source>
        <translation>请在结尾处写上“)”。</translation>
    </message>
    <message>
        <source>Writing “{0}”</source>
        <translation>正在写入“{0}”</translation>
    </message>
    <message>
        <source>Written: {path}</source>
        <translation>已写入：{path}</translation>
    </message>
    <message>
        <source>Written: “{0}”</source>
        <translation>已写入：“{0}”</translation>
    </message>
    <message>
        <source>Wrong for this question</source>
        <translation>不适合这个问题</translation>
    </message>
    <message>
        <source>Wrong@{k}</source>
        <translation>错误@{k}</translation>
    </message>
    <message>
        <source>XPS</source>
        <translation>XPS</translation>
    </message>
    <message>
        <source>Yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>You are connected to this shared library already.</source>
        <translation>你已连接此共享文档库。</translation>
    </message>
    <message>
        <source>You are not connected to a shared library “{0}”.</source>
        <translation>你没有连接共享文档库“{0}”。</translation>
    </message>
    <message>
        <source>You chose to approve every tool before each use.</source>
        <translation>你要求在使用任何工具前询问。</translation>
    </message>
    <message>
        <source>You chose to approve this tool before each use.</source>
        <translation>你要求在使用此工具前询问。</translation>
    </message>
    <message>
        <source>You chose to review plans first.</source>
        <translation>你要求在执行前查看计划。</translation>
    </message>
    <message>
        <source>You disabled this passage, so searches skip it.</source>
        <translation>你停用了这个段落，所以搜索不到它。</translation>
    </message>
    <message>
        <source>You have this note already: “{0}”.</source>
        <translation>你已经有这条笔记：“{0}”。</translation>
    </message>
    <message>
        <source>You stopped this answer</source>
        <translation>你停止了此回答</translation>
    </message>
    <message>
        <source>You stopped this reading.</source>
        <translation>你停止了这次通读。</translation>
    </message>
    <message>
        <source>Your answer is ready.</source>
        <translation>回答已完成。</translation>
    </message>
    <message>
        <source>Your documents and sessions are safe. Please report it with the details.</source>
        <translation>你的文档和会话都安全。请附上详细信息反馈。</translation>
    </message>
    <message>
        <source>Your documents and sessions are safe. These details show where it ended; they contain nothing that you wrote or read.</source>
        <translation>你的文档和会话都安然无恙。以下详情说明程序在何处退出，其中没有你写过或读过的任何内容。</translation>
    </message>
    <message>
        <source>Your documents are up to date.</source>
        <translation>文档已是最新。</translation>
    </message>
    <message>
        <source>Your documents have been read for your question.</source>
        <translation>已为你的问题通读文档。</translation>
    </message>
    <message>
        <source>Your place</source>
        <translation>你的所在地</translation>
    </message>
    <message>
        <source>Your question</source>
        <translation>你的问题</translation>
    </message>
    <message>
        <source>Your question: {question}</source>
        <translation>你的问题：{question}</translation>
    </message>
    <message>
        <source>Your settings folder cannot be written: libraries made now stay without network access, and permissions for plug-ins and tool servers cannot be kept.</source>
        <translation>你的设置文件夹不可写：现在新建的文档库将无法联网，对插件和工具服务器的许可也无法保存。</translation>
    </message>
    <message>
        <source>ZIP archive</source>
        <translation>ZIP 压缩包</translation>
    </message>
    <message>
        <source>ZIP archives</source>
        <translation>ZIP 压缩包</translation>
    </message>
    <message>
        <source>Zoom in (+)</source>
        <translation>放大 (+)</translation>
    </message>
    <message>
        <source>Zoom in (Ctrl+wheel)</source>
        <translation>放大 (Ctrl+滚轮)</translation>
    </message>
    <message>
        <source>Zoom out (Ctrl+wheel)</source>
        <translation>缩小 (Ctrl+滚轮)</translation>
    </message>
    <message>
        <source>Zoom out (−)</source>
        <translation>缩小 (−)</translation>
    </message>
    <message>
        <source>[{number}] No such source was found.</source>
        <translation>[{number}] 没有找到此来源。</translation>
    </message>
    <message>
        <source>[{number}] {document}, {place}: {text}</source>
        <translation>[{number}] {document}，{place}：{text}</translation>
    </message>
    <message>
        <source>[{number}] {place}: “{quote}”</source>
        <translation>[{number}] {place}：“{quote}”</translation>
    </message>
    <message>
        <source>a 7-Zip archive</source>
        <translation>7-Zip 压缩包</translation>
    </message>
    <message>
        <source>a FictionBook</source>
        <translation>FictionBook</translation>
    </message>
    <message>
        <source>a PDF document</source>
        <translation>PDF 文档</translation>
    </message>
    <message>
        <source>a PowerPoint presentation</source>
        <translation>PowerPoint 演示文稿</translation>
    </message>
    <message>
        <source>a RAR archive</source>
        <translation>RAR 压缩包</translation>
    </message>
    <message>
        <source>a SQLite database</source>
        <translation>SQLite 数据库</translation>
    </message>
    <message>
        <source>a Word document</source>
        <translation>Word 文档</translation>
    </message>
    <message>
        <source>a ZIP archive</source>
        <translation>ZIP 压缩包</translation>
    </message>
    <message>
        <source>a ZIP archive that is cut off or damaged</source>
        <translation>被截断或损坏的 ZIP 压缩包</translation>
    </message>
    <message>
        <source>a binary Excel workbook</source>
        <translation>二进制 Excel 工作簿</translation>
    </message>
    <message>
        <source>a compressed file</source>
        <translation>压缩文件</translation>
    </message>
    <message>
        <source>a few seconds left</source>
        <translation>还需几秒</translation>
    </message>
    <message>
        <source>a keyword of the document</source>
        <translation>文档的关键词</translation>
    </message>
    <message>
        <source>a mailbox</source>
        <translation>邮箱</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>数字</translation>
    </message>
    <message>
        <source>a picture</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>a program</source>
        <translation>程序</translation>
    </message>
    <message>
        <source>a rich text document</source>
        <translation>RTF 文档</translation>
    </message>
    <message>
        <source>a script</source>
        <translation>脚本</translation>
    </message>
    <message>
        <source>a web page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>a whole number</source>
        <translation>整数</translation>
    </message>
    <message>
        <source>a word in the name, the title or the folder</source>
        <translation>名称、标题或文件夹中的词</translation>
    </message>
    <message>
        <source>about {n:.1f} h left</source>
        <translation>大约还需 {n:.1f} 小时</translation>
    </message>
    <message>
        <source>about {n} min left</source>
        <translation>大约还需 {n} 分钟</translation>
    </message>
    <message>
        <source>about {n} s left</source>
        <translation>大约还需 {n} 秒</translation>
    </message>
    <message>
        <source>about {time}</source>
        <translation>约 {time}</translation>
    </message>
    <message>
        <source>all knowledge bases</source>
        <translation>所有知识库</translation>
    </message>
    <message>
        <source>all passages found</source>
        <translation>找到的全部段落</translation>
    </message>
    <message>
        <source>all searchable</source>
        <translation>全部可搜索</translation>
    </message>
    <message>
        <source>all {n:,} compared</source>
        <translation>已比较全部 {n:,} 个</translation>
    </message>
    <message>
        <source>allowed</source>
        <translation>已允许</translation>
    </message>
    <message>
        <source>an EPUB book</source>
        <translation>EPUB 电子书</translation>
    </message>
    <message>
        <source>an Excel workbook</source>
        <translation>Excel 工作簿</translation>
    </message>
    <message>
        <source>an HTML page</source>
        <translation>HTML 网页</translation>
    </message>
    <message>
        <source>an OpenDocument file of an unknown kind</source>
        <translation>未知类型的 OpenDocument 文件</translation>
    </message>
    <message>
        <source>an OpenDocument presentation</source>
        <translation>OpenDocument 演示文稿</translation>
    </message>
    <message>
        <source>an OpenDocument sheet</source>
        <translation>OpenDocument 表格</translation>
    </message>
    <message>
        <source>an OpenDocument text</source>
        <translation>OpenDocument 文稿</translation>
    </message>
    <message>
        <source>an Outlook message</source>
        <translation>Outlook 邮件</translation>
    </message>
    <message>
        <source>an XPS document</source>
        <translation>XPS 文档</translation>
    </message>
    <message>
        <source>an assumption; nothing was measured yet</source>
        <translation>假设；尚无实测</translation>
    </message>
    <message>
        <source>an e-mail message</source>
        <translation>电子邮件</translation>
    </message>
    <message>
        <source>an encrypted office document</source>
        <translation>加密的 Office 文档</translation>
    </message>
    <message>
        <source>an old Excel sheet</source>
        <translation>旧版 Excel 工作表</translation>
    </message>
    <message>
        <source>an old Excel workbook</source>
        <translation>旧版 Excel 工作簿</translation>
    </message>
    <message>
        <source>an old PowerPoint presentation</source>
        <translation>旧版 PowerPoint 演示文稿</translation>
    </message>
    <message>
        <source>an old Word document</source>
        <translation>旧版 Word 文档</translation>
    </message>
    <message>
        <source>an old office document of an unknown kind</source>
        <translation>未知类型的旧版 Office 文档</translation>
    </message>
    <message>
        <source>and {n:,} more</source>
        <translation>以及另外 {n:,} 个</translation>
    </message>
    <message>
        <source>answer</source>
        <translation>回答</translation>
    </message>
    <message>
        <source>answer discarded</source>
        <translation>已舍弃回答</translation>
    </message>
    <message>
        <source>approval asked</source>
        <translation>请求批准</translation>
    </message>
    <message>
        <source>approval given</source>
        <translation>已答复批准请求</translation>
    </message>
    <message>
        <source>archived</source>
        <translation>已归档</translation>
    </message>
    <message>
        <source>at {seconds:.2f} s</source>
        <translation>第 {seconds:.2f} 秒</translation>
    </message>
    <message>
        <source>at {seconds:.2f} s, {ms:.0f} ms</source>
        <translation>第 {seconds:.2f} 秒，用时 {ms:.0f} 毫秒</translation>
    </message>
    <message>
        <source>back to the answer</source>
        <translation>返回回答</translation>
    </message>
    <message>
        <source>before a repair</source>
        <translation>修复之前</translation>
    </message>
    <message>
        <source>before an update of the program</source>
        <translation>程序升级之前</translation>
    </message>
    <message>
        <source>better</source>
        <translation>变好</translation>
    </message>
    <message>
        <source>binary Excel</source>
        <translation>二进制 Excel</translation>
    </message>
    <message>
        <source>browser</source>
        <translation>浏览器</translation>
    </message>
    <message>
        <source>by you, {day}</source>
        <translation>你，{day}</translation>
    </message>
    <message>
        <source>cell {0:d}</source>
        <translation>单元格 {0}</translation>
    </message>
    <message>
        <source>cell {0:d} “{1}”</source>
        <translation>单元格 {0}“{1}”</translation>
    </message>
    <message>
        <source>cells</source>
        <translation>单元格</translation>
    </message>
    <message>
        <source>cells {0:d}</source>
        <translation>单元格 {0}</translation>
    </message>
    <message>
        <source>chapter {0:d}</source>
        <translation>第 {0} 章</translation>
    </message>
    <message>
        <source>chapter {0:d} “{1}”</source>
        <translation>第 {0} 章“{1}”</translation>
    </message>
    <message>
        <source>chapters</source>
        <translation>章</translation>
    </message>
    <message>
        <source>chapters {0:d}</source>
        <translation>第 {0} 章</translation>
    </message>
    <message>
        <source>characters</source>
        <translation>字符</translation>
    </message>
    <message>
        <source>characters {start}–{end}</source>
        <translation>字符 {start}–{end}</translation>
    </message>
    <message>
        <source>checked {ago}</source>
        <translation>{ago}检查</translation>
    </message>
    <message>
        <source>claims checked</source>
        <translation>已核对论断</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>complete</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>completed</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>cosine</source>
        <translation>余弦</translation>
    </message>
    <message>
        <source>cost {cost:,.2f}</source>
        <translation>费用 {cost:,.2f}</translation>
    </message>
    <message>
        <source>cost {cost:.4f}</source>
        <translation>费用 {cost:.4f}</translation>
    </message>
    <message>
        <source>curation asked</source>
        <translation>请求挑选段落</translation>
    </message>
    <message>
        <source>curation given</source>
        <translation>已挑选段落</translation>
    </message>
    <message>
        <source>d MMM HH:mm</source>
        <translation>M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>d MMM yyyy, HH:mm</source>
        <translation>yyyy年M月d日 HH:mm</translation>
    </message>
    <message>
        <source>d MMMM</source>
        <translation>M月d日</translation>
    </message>
    <message>
        <source>d MMMM yyyy</source>
        <translation>yyyy年M月d日</translation>
    </message>
    <message>
        <source>damaged pages</source>
        <translation>损坏的页</translation>
    </message>
    <message>
        <source>damaged, or missing from the file</source>
        <translation>已损坏，或文件中缺失</translation>
    </message>
    <message>
        <source>databases</source>
        <translation>数据库</translation>
    </message>
    <message>
        <source>days</source>
        <translation>天</translation>
    </message>
    <message>
        <source>developer (OpenAI only)</source>
        <translation>developer（仅 OpenAI）</translation>
    </message>
    <message>
        <source>did not end</source>
        <translation>没有结束</translation>
    </message>
    <message>
        <source>diversity {n:.1f}</source>
        <translation>多样性 {n:.1f}</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>drawings and layouts</source>
        <translation>绘图与排版</translation>
    </message>
    <message>
        <source>e-mail</source>
        <translation>电子邮件</translation>
    </message>
    <message>
        <source>earlier answers of this model</source>
        <translation>此模型以往的回答</translation>
    </message>
    <message>
        <source>earlier readings with this model</source>
        <translation>此模型以往的通读</translation>
    </message>
    <message>
        <source>embedded files</source>
        <translation>嵌入的文件</translation>
    </message>
    <message>
        <source>embedding {n:,} of {total:,}</source>
        <translation>正在嵌入 {n:,}/{total:,}</translation>
    </message>
    <message>
        <source>en, zh, de …</source>
        <translation>en、zh、de…</translation>
    </message>
    <message>
        <source>ended its process</source>
        <translation>使其进程意外结束</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>fails</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>final answer</source>
        <translation>给出最终回答</translation>
    </message>
    <message>
        <source>first hit: {hit}</source>
        <translation>首条命中：{hit}</translation>
    </message>
    <message>
        <source>flat OpenDocument sheets</source>
        <translation>单文件 OpenDocument 表格</translation>
    </message>
    <message>
        <source>flat OpenDocument slides</source>
        <translation>单文件 OpenDocument 幻灯片</translation>
    </message>
    <message>
        <source>flat OpenDocument texts</source>
        <translation>单文件 OpenDocument 文稿</translation>
    </message>
    <message>
        <source>formula</source>
        <translation>公式</translation>
    </message>
    <message>
        <source>found</source>
        <translation>找到</translation>
    </message>
    <message>
        <source>from a program</source>
        <translation>来自程序</translation>
    </message>
    <message>
        <source>from an installed package</source>
        <translation>来自已安装的包</translation>
    </message>
    <message>
        <source>from {0}</source>
        <translation>来自 {0}</translation>
    </message>
    <message>
        <source>from {file}</source>
        <translation>来自 {file}</translation>
    </message>
    <message>
        <source>fused</source>
        <translation>融合</translation>
    </message>
    <message>
        <source>it has no weights that can be used here</source>
        <translation>其中没有可用的权重</translation>
    </message>
    <message>
        <source>it needs a password</source>
        <translation>它需要密码</translation>
    </message>
    <message>
        <source>its golden questions are gone</source>
        <translation>评测问题已不存在</translation>
    </message>
    <message>
        <source>its link leads back to itself</source>
        <translation>它的链接指回自身</translation>
    </message>
    <message>
        <source>its meaning counts for little, because the embedding model hardly understands this question</source>
        <translation>语义几乎不起作用，因为嵌入模型不太理解这个问题</translation>
    </message>
    <message>
        <source>every passage given is closer in meaning</source>
        <translation>给出的每个段落在语义上都更接近</translation>
    </message>
    <message>
        <source>1 passage is still being prepared and can be found by its words only.</source>
        <translation>有 1 个段落仍在准备中，只能按字词找到。</translation>
    </message>
    <message>
        <source>1 passage was found, but it does not fit the question well enough. It is listed as evidence.</source>
        <translation>找到 1 个段落，但与问题不够契合，已列为依据。</translation>
    </message>
    <message>
        <source>Add to the library</source>
        <translation>添加到文档库</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Ask a question and mark its sources as Right or Wrong to make it a golden question. A run asks all golden questions and shows how often, and how high up, the right passages are found. This shows whether changes to settings or documents help.</source>
        <translation>提出问题，并把其来源标记为“正确”或“错误”，它就成为评测问题。运行会提出所有评测问题，并显示正确段落被找到的频率和排名，从而看出设置或文档的更改是否有帮助。</translation>
    </message>
    <message>
        <source>Certainty of its best sentence</source>
        <translation>最佳句子的把握度</translation>
    </message>
    <message>
        <source>How the answers were made: steps, tool calls, reasoning, searches and prompts.</source>
        <translation>回答的生成过程：步骤、工具调用、推理、搜索和提示词。</translation>
    </message>
    <message>
        <source>More actions for this passage</source>
        <translation>此段落的更多操作</translation>
    </message>
    <message>
        <source>No golden questions yet. Mark sources of an answer as Right or Wrong.</source>
        <translation>还没有评测问题。请把回答的来源标记为“正确”或“错误”。</translation>
    </message>
    <message>
        <source>Opened</source>
        <comment>passage</comment>
        <translation>已打开</translation>
    </message>
    <message>
        <source>Options for the question</source>
        <translation>提问选项</translation>
    </message>
    <message>
        <source>Parts of the technical appendix</source>
        <translation>技术附录的各项内容</translation>
    </message>
    <message>
        <source>its meaning is only the {0} nearest of {1:d}</source>
        <translation>它的语义接近程度在 {1} 段中只排第 {0}</translation>
    </message>
    <message>
        <source>its meaning is the nearest of {0:d}</source>
        <translation>它的语义在 {0} 段中最接近</translation>
    </message>
    <message>
        <source>its meaning is the {0} nearest of {1:d}</source>
        <translation>它的语义接近程度在 {1} 段中排第 {0}</translation>
    </message>
    <message>
        <source>its meaning, though the {0} nearest, does not outweigh that</source>
        <translation>它的语义接近程度虽然排第 {0}，也弥补不了</translation>
    </message>
    <message>
        <source>its pages without text</source>
        <translation>没有文字的页</translation>
    </message>
    <message>
        <source>just now</source>
        <translation>刚刚</translation>
    </message>
    <message>
        <source>keyring</source>
        <translation>密钥环</translation>
    </message>
    <message>
        <source>knowledge base</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>last answer {milliseconds:,.0f} ms</source>
        <translation>上次回应 {milliseconds:,.0f} 毫秒</translation>
    </message>
    <message>
        <source>library seen</source>
        <translation>已查看文档库</translation>
    </message>
    <message>
        <source>line {0:d}</source>
        <translation>第 {0} 行</translation>
    </message>
    <message>
        <source>lines {0:d} to {1:d}</source>
        <translation>第 {0} 至 {1} 行</translation>
    </message>
    <message>
        <source>list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>long paths</source>
        <translation>长路径</translation>
    </message>
    <message>
        <source>macOS cannot restrict their access to the network or to your files. Their memory is watched and not limited; they end by themselves when the program ends.</source>
        <translation>macOS 无法限制它们访问网络和你的文件。对它们的内存只能监视，不能限制；程序结束时它们会自行结束。</translation>
    </message>
    <message>
        <source>mailboxes of Outlook</source>
        <translation>Outlook 邮箱</translation>
    </message>
    <message>
        <source>marked as right</source>
        <translation>已标为正确</translation>
    </message>
    <message>
        <source>marked as wrong</source>
        <translation>已标为错误</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>message {0:d}</source>
        <translation>邮件 {0}</translation>
    </message>
    <message>
        <source>message {0:d} “{1}”</source>
        <translation>邮件 {0}“{1}”</translation>
    </message>
    <message>
        <source>messages</source>
        <translation>邮件</translation>
    </message>
    <message>
        <source>messages {0:d}</source>
        <translation>邮件 {0}</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺少</translation>
    </message>
    <message>
        <source>model folder</source>
        <translation>模型文件夹</translation>
    </message>
    <message>
        <source>model profile</source>
        <translation>模型配置</translation>
    </message>
    <message>
        <source>model reasoning</source>
        <translation>模型推理</translation>
    </message>
    <message>
        <source>nDCG over time</source>
        <translation>nDCG 走势</translation>
    </message>
    <message>
        <source>nDCG@10 over time</source>
        <translation>nDCG@10 走势</translation>
    </message>
    <message>
        <source>names</source>
        <translation>文档名</translation>
    </message>
    <message>
        <source>network</source>
        <comment>file name</comment>
        <translation>联网记录</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>no problems</source>
        <translation>没有问题</translation>
    </message>
    <message>
        <source>no reason given</source>
        <translation>未说明原因</translation>
    </message>
    <message>
        <source>no: disabled</source>
        <translation>否：已停用</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>none</source>
        <comment>score</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>none</source>
        <comment>words</comment>
        <translation>无</translation>
    </message>
    <message>
        <source>none of the words of your question is in it</source>
        <translation>其中没有问题里的任何一个词</translation>
    </message>
    <message>
        <source>not a source of this run</source>
        <translation>不是本次运行的来源</translation>
    </message>
    <message>
        <source>not checked</source>
        <translation>未核对</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>not counted</source>
        <translation>未统计</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>not found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>not in this list</source>
        <translation>不在这个列表中</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未评测</translation>
    </message>
    <message>
        <source>not named</source>
        <translation>未给出</translation>
    </message>
    <message>
        <source>not reachable</source>
        <translation>无法访问</translation>
    </message>
    <message>
        <source>not said</source>
        <translation>未提及</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空内容</translation>
    </message>
    <message>
        <source>nothing found</source>
        <translation>未找到内容</translation>
    </message>
    <message>
        <source>nothing was found</source>
        <translation>未找到内容</translation>
    </message>
    <message>
        <source>nothing was given</source>
        <translation>什么也没有给出</translation>
    </message>
    <message>
        <source>nothing: this model has not answered yet</source>
        <translation>无：此模型还没有回答过</translation>
    </message>
    <message>
        <source>notice</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>of an unknown kind</source>
        <translation>未知类型</translation>
    </message>
    <message>
        <source>old PowerPoint</source>
        <translation>旧版 PowerPoint</translation>
    </message>
    <message>
        <source>old Word</source>
        <translation>旧版 Word</translation>
    </message>
    <message>
        <source>old Word, PowerPoint and Excel</source>
        <translation>旧版 Word、PowerPoint 和 Excel</translation>
    </message>
    <message>
        <source>old spreadsheets</source>
        <translation>旧式电子表格</translation>
    </message>
    <message>
        <source>on this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>on {0} of them no text was found</source>
        <translation>其中 {0} 页没有找到文字</translation>
    </message>
    <message>
        <source>only here</source>
        <translation>仅此处有</translation>
    </message>
    <message>
        <source>only in “{base}”</source>
        <translation>仅在“{base}”中</translation>
    </message>
    <message>
        <source>only in “{knowledge_base}”</source>
        <translation>仅限“{knowledge_base}”</translation>
    </message>
    <message>
        <source>only the first {0:d} rows</source>
        <translation>只有前 {0} 行</translation>
    </message>
    <message>
        <source>only the first {0:d} rows, which hold {1:d} characters</source>
        <translation>只有前 {0} 行，共 {1} 个字符</translation>
    </message>
    <message>
        <source>only {filter}</source>
        <translation>仅限 {filter}</translation>
    </message>
    <message>
        <source>other Excel workbooks</source>
        <translation>其他 Excel 工作簿</translation>
    </message>
    <message>
        <source>other archives</source>
        <translation>其他压缩包</translation>
    </message>
    <message>
        <source>other e-books</source>
        <translation>其他电子书</translation>
    </message>
    <message>
        <source>other passages</source>
        <translation>其他段落</translation>
    </message>
    <message>
        <source>other pictures</source>
        <translation>其他图片</translation>
    </message>
    <message>
        <source>over the network</source>
        <translation>经由网络</translation>
    </message>
    <message>
        <source>page {0:d}</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>page {0:d} “{1}”</source>
        <translation>第 {0} 页“{1}”</translation>
    </message>
    <message>
        <source>pages</source>
        <translation>页</translation>
    </message>
    <message>
        <source>pages 1 to {n:,} of {total:,}</source>
        <translation>第 1 至 {n:,} 页，共 {total:,} 页</translation>
    </message>
    <message>
        <source>pages cannot be “{0}”: write for example “3” or “3-5”.</source>
        <translation>页不能是“{0}”：请写成例如“3”或“3-5”。</translation>
    </message>
    <message>
        <source>pages {0:d}</source>
        <translation>第 {0} 页</translation>
    </message>
    <message>
        <source>paragraph</source>
        <translation>正文</translation>
    </message>
    <message>
        <source>part {0:d}</source>
        <translation>第 {0} 部分</translation>
    </message>
    <message>
        <source>part {0:d} “{1}”</source>
        <translation>第 {0} 部分“{1}”</translation>
    </message>
    <message>
        <source>parts</source>
        <translation>拆分问题</translation>
    </message>
    <message>
        <source>parts that are damaged</source>
        <translation>损坏的部分</translation>
    </message>
    <message>
        <source>parts {0:d}</source>
        <translation>第 {0} 部分</translation>
    </message>
    <message>
        <source>passage {n}</source>
        <translation>段落 {n}</translation>
    </message>
    <message>
        <source>passages differ</source>
        <translation>段落说法不一</translation>
    </message>
    <message>
        <source>passages {first}–{last}</source>
        <translation>段落 {first}–{last}</translation>
    </message>
    <message>
        <source>pdf, docx, markdown …</source>
        <translation>pdf、docx、markdown…</translation>
    </message>
    <message>
        <source>pictures</source>
        <translation>图片</translation>
    </message>
    <message>
        <source>pictures of their pages</source>
        <translation>其页面图片</translation>
    </message>
    <message>
        <source>pinned</source>
        <translation>已置顶</translation>
    </message>
    <message>
        <source>plain JSON</source>
        <translation>纯 JSON</translation>
    </message>
    <message>
        <source>plain text</source>
        <translation>纯文本</translation>
    </message>
    <message>
        <source>plan delta</source>
        <translation>计划更新</translation>
    </message>
    <message>
        <source>plan made</source>
        <translation>计划已制定</translation>
    </message>
    <message>
        <source>plan step ended</source>
        <translation>计划步骤结束</translation>
    </message>
    <message>
        <source>plan step started</source>
        <translation>计划步骤开始</translation>
    </message>
    <message>
        <source>print layouts</source>
        <translation>印刷排版</translation>
    </message>
    <message>
        <source>processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>prompt assembled</source>
        <translation>提示词已生成</translation>
    </message>
    <message>
        <source>questions and documents of the shared library “{name}” to {host}</source>
        <translation>共享文档库“{name}”的问题和文档发往 {host}</translation>
    </message>
    <message>
        <source>questions and found passages to {host}</source>
        <translation>问题和找到的段落发往 {host}</translation>
    </message>
    <message>
        <source>rank {rank}</source>
        <translation>第 {rank} 名</translation>
    </message>
    <message>
        <source>reStructuredText</source>
        <translation>reStructuredText</translation>
    </message>
    <message>
        <source>readers</source>
        <translation>读取进程</translation>
    </message>
    <message>
        <source>reading</source>
        <comment>file name</comment>
        <translation>通读</translation>
    </message>
    <message>
        <source>ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>reasoning completed</source>
        <translation>推理完成</translation>
    </message>
    <message>
        <source>reasoning started</source>
        <translation>推理开始</translation>
    </message>
    <message>
        <source>reasoning step</source>
        <translation>推理步骤</translation>
    </message>
    <message>
        <source>record {0:d}</source>
        <translation>第 {0} 条记录</translation>
    </message>
    <message>
        <source>record {0:d} “{1}”</source>
        <translation>第 {0} 条记录“{1}”</translation>
    </message>
    <message>
        <source>records {0:d}</source>
        <translation>第 {0} 条记录</translation>
    </message>
    <message>
        <source>references found</source>
        <translation>找到引用段落</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拦截</translation>
    </message>
    <message>
        <source>reranked {how}</source>
        <translation>{how}重排</translation>
    </message>
    <message>
        <source>reranking by a server</source>
        <translation>服务器重排</translation>
    </message>
    <message>
        <source>reset</source>
        <translation>重新开始</translation>
    </message>
    <message>
        <source>results of database queries</source>
        <translation>数据库查询结果</translation>
    </message>
    <message>
        <source>retriever</source>
        <translation>检索器</translation>
    </message>
    <message>
        <source>round limit reached</source>
        <translation>已达轮数上限</translation>
    </message>
    <message>
        <source>row {0:d}</source>
        <translation>表格第 {0} 行</translation>
    </message>
    <message>
        <source>rows {0:d} to {1:d}</source>
        <translation>表格第 {0} 至 {1} 行</translation>
    </message>
    <message>
        <source>run cancelled</source>
        <translation>运行已取消</translation>
    </message>
    <message>
        <source>run completed</source>
        <translation>运行完成</translation>
    </message>
    <message>
        <source>run failed</source>
        <translation>运行失败</translation>
    </message>
    <message>
        <source>run started</source>
        <translation>运行开始</translation>
    </message>
    <message>
        <source>running…</source>
        <translation>进行中…</translation>
    </message>
    <message>
        <source>s</source>
        <translation>秒</translation>
    </message>
    <message>
        <source>same</source>
        <translation>不变</translation>
    </message>
    <message>
        <source>saved web pages</source>
        <translation>保存的网页</translation>
    </message>
    <message>
        <source>score</source>
        <translation>得分</translation>
    </message>
    <message>
        <source>sessions</source>
        <comment>file name</comment>
        <translation>会话</translation>
    </message>
    <message>
        <source>settings folder</source>
        <translation>设置文件夹</translation>
    </message>
    <message>
        <source>sha256 of the file {sha256}</source>
        <translation>文件的 sha256：{sha256}</translation>
    </message>
    <message>
        <source>sheet {0:d}</source>
        <translation>工作表 {0}</translation>
    </message>
    <message>
        <source>sheet {0:d} “{1}”</source>
        <translation>工作表 {0}“{1}”</translation>
    </message>
    <message>
        <source>sheets</source>
        <translation>工作表</translation>
    </message>
    <message>
        <source>sheets {0:d}</source>
        <translation>工作表 {0}</translation>
    </message>
    <message>
        <source>since {day}</source>
        <translation>自 {day} 起</translation>
    </message>
    <message>
        <source>skipped</source>
        <translation>已跳过</translation>
    </message>
    <message>
        <source>slide {0:d}</source>
        <translation>第 {0} 张幻灯片</translation>
    </message>
    <message>
        <source>slide {0:d} “{1}”</source>
        <translation>第 {0} 张幻灯片“{1}”</translation>
    </message>
    <message>
        <source>slides</source>
        <translation>幻灯片</translation>
    </message>
    <message>
        <source>slides of other programs</source>
        <translation>其他软件的幻灯片</translation>
    </message>
    <message>
        <source>slides that are damaged</source>
        <translation>损坏的幻灯片</translation>
    </message>
    <message>
        <source>slides {0:d}</source>
        <translation>第 {0} 张幻灯片</translation>
    </message>
    <message>
        <source>source code</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步骤</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>stopped by you</source>
        <translation>已由你停止</translation>
    </message>
    <message>
        <source>subtitles</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>supported</source>
        <translation>有依据</translation>
    </message>
    <message>
        <source>table</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>technical drawings</source>
        <translation>工程图</translation>
    </message>
    <message>
        <source>text edited by you</source>
        <translation>文字由你修改</translation>
    </message>
    <message>
        <source>texts of other word processors</source>
        <translation>其他文字处理软件的文稿</translation>
    </message>
    <message>
        <source>the archive is damaged</source>
        <translation>压缩包已损坏</translation>
    </message>
    <message>
        <source>the built-in model</source>
        <translation>内置模型</translation>
    </message>
    <message>
        <source>the conversation</source>
        <translation>会话</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>the document</source>
        <translation>文档</translation>
    </message>
    <message>
        <source>the document&apos;s number in the library</source>
        <translation>文档在库中的编号</translation>
    </message>
    <message>
        <source>the document&apos;s title</source>
        <translation>文档标题</translation>
    </message>
    <message>
        <source>the end of 1 output: {0}</source>
        <translation>1 个输出的末尾：{0}</translation>
    </message>
    <message>
        <source>the ends of {0:d} outputs: {1}</source>
        <translation>{0} 个输出的末尾：{1}</translation>
    </message>
    <message>
        <source>the file&apos;s name</source>
        <translation>文件名</translation>
    </message>
    <message>
        <source>the first {0:d} pages of {1:d} were read; split the file and add the parts</source>
        <translation>读取了 {1} 页中的前 {0} 页；请拆分文件后添加各部分</translation>
    </message>
    <message>
        <source>the first {0} MB of {1} MB were read</source>
        <translation>读取了 {1} MB 中的前 {0} MB</translation>
    </message>
    <message>
        <source>the first {n:,} compared</source>
        <translation>已比较前 {n:,} 个</translation>
    </message>
    <message>
        <source>the golden questions changed</source>
        <translation>评测问题有改动</translation>
    </message>
    <message>
        <source>the knowledge base</source>
        <translation>知识库</translation>
    </message>
    <message>
        <source>the knowledge base “{0}”</source>
        <translation>知识库“{0}”</translation>
    </message>
    <message>
        <source>the knowledge base “{0}” and “{1}”</source>
        <translation>知识库“{0}”和“{1}”</translation>
    </message>
    <message>
        <source>the knowledge base “{0}” and “{1}” and “{2}”</source>
        <translation>知识库“{0}”、“{1}”和“{2}”</translation>
    </message>
    <message>
        <source>the link texts were read; open the page to see where they lead</source>
        <translation>链接文字已读取；其去向请打开网页查看</translation>
    </message>
    <message>
        <source>the model profile “{0}”</source>
        <translation>模型配置“{0}”</translation>
    </message>
    <message>
        <source>the page, slide or sheet</source>
        <translation>页、幻灯片或工作表</translation>
    </message>
    <message>
        <source>the program is version {0}, then {1}</source>
        <translation>程序现为 {0} 版，当时为 {1} 版</translation>
    </message>
    <message>
        <source>the program “{0}”</source>
        <translation>程序“{0}”</translation>
    </message>
    <message>
        <source>the prompts</source>
        <translation>提示词</translation>
    </message>
    <message>
        <source>the release feed</source>
        <translation>发布信息源</translation>
    </message>
    <message>
        <source>the setting “{0}” changed</source>
        <translation>设置 {0} 有改动</translation>
    </message>
    <message>
        <source>the shared library “{0}”</source>
        <translation>共享文档库“{0}”</translation>
    </message>
    <message>
        <source>the store of the library</source>
        <translation>文档库的向量库</translation>
    </message>
    <message>
        <source>the text of a message: {0}</source>
        <translation>某封邮件的正文：{0}</translation>
    </message>
    <message>
        <source>the tool server “{0}”</source>
        <translation>工具服务器“{0}”</translation>
    </message>
    <message>
        <source>the vector store on a server</source>
        <translation>服务器上的向量库</translation>
    </message>
    <message>
        <source>the web search</source>
        <translation>网络搜索</translation>
    </message>
    <message>
        <source>there is no connection to {0}</source>
        <translation>无法连接 {0}</translation>
    </message>
    <message>
        <source>there is no such model, or it is not public</source>
        <translation>没有这个模型，或该模型未公开</translation>
    </message>
    <message>
        <source>this format has no pages</source>
        <translation>这种格式没有页</translation>
    </message>
    <message>
        <source>this passage</source>
        <translation>这个段落</translation>
    </message>
    <message>
        <source>this question</source>
        <translation>此问题</translation>
    </message>
    <message>
        <source>time limit reached</source>
        <translation>已达时限</translation>
    </message>
    <message>
        <source>today {time}</source>
        <translation>今天 {time}</translation>
    </message>
    <message>
        <source>token limit reached</source>
        <translation>已达 token 上限</translation>
    </message>
    <message>
        <source>tokens</source>
        <translation>token</translation>
    </message>
    <message>
        <source>tool</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>tool call limit reached</source>
        <translation>已达工具调用上限</translation>
    </message>
    <message>
        <source>tool completed</source>
        <translation>工具完成</translation>
    </message>
    <message>
        <source>tool failed</source>
        <translation>工具失败</translation>
    </message>
    <message>
        <source>tool started</source>
        <translation>工具开始</translation>
    </message>
    <message>
        <source>tools that use the network</source>
        <translation>联网工具</translation>
    </message>
    <message>
        <source>turn completed</source>
        <translation>轮次完成</translation>
    </message>
    <message>
        <source>under way</source>
        <translation>进行中</translation>
    </message>
    <message>
        <source>unfinished</source>
        <translation>未读完</translation>
    </message>
    <message>
        <source>unreadable</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>unsupported</source>
        <translation>无依据</translation>
    </message>
    <message>
        <source>validate</source>
        <translation>核实</translation>
    </message>
    <message>
        <source>vectors of passages and questions to {host}</source>
        <translation>段落和问题的向量发往 {host}</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待中</translation>
    </message>
    <message>
        <source>exceeded the memory limit of plug-ins</source>
        <translation>所需内存超过插件的上限</translation>
    </message>
    <message>
        <source>weak</source>
        <translation>依据不足</translation>
    </message>
    <message>
        <source>weather</source>
        <translation>天气</translation>
    </message>
    <message>
        <source>web page</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>web pages</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>web search</source>
        <translation>网络搜索</translation>
    </message>
    <message>
        <source>the server there is not a model hub</source>
        <translation>该地址不是模型库</translation>
    </message>
    <message>
        <source>when it was written: 2024, 2024-05, 2024-05-31</source>
        <translation>写作时间：2024、2024-05、2024-05-31</translation>
    </message>
    <message>
        <source>where the file is, or its address</source>
        <translation>文件位置或网址</translation>
    </message>
    <message>
        <source>works</source>
        <translation>可用</translation>
    </message>
    <message>
        <source>worse</source>
        <translation>变差</translation>
    </message>
    <message>
        <source>written</source>
        <comment>tokens</comment>
        <translation>输出</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>yesterday {time}</source>
        <translation>昨天 {time}</translation>
    </message>
    <message>
        <source>your question names its document</source>
        <translation>问题点名了它所在的文档</translation>
    </message>
    <message>
        <source>{0:d} cell</source>
        <translation>{0} 个单元格</translation>
    </message>
    <message>
        <source>{0:d} cells</source>
        <translation>{0} 个单元格</translation>
    </message>
    <message>
        <source>{0:d} chapter</source>
        <translation>{0} 章</translation>
    </message>
    <message>
        <source>{0:d} chapters</source>
        <translation>{0} 章</translation>
    </message>
    <message>
        <source>{0:d} characters could not be read</source>
        <translation>{0} 个字符无法读取</translation>
    </message>
    <message>
        <source>{0:d} passages are longer than the embedding model reads at once</source>
        <translation>{0} 个段落超出嵌入模型一次能读取的长度</translation>
    </message>
    <message>
        <source>{0:d} passages without a vector</source>
        <translation>{0} 个段落没有向量</translation>
    </message>
    <message>
        <source>{0:d} documents ({1})</source>
        <translation>{0} 个文档（{1}）</translation>
    </message>
    <message>
        <source>{0:d} documents fewer</source>
        <translation>少了 {0} 个文档</translation>
    </message>
    <message>
        <source>{0:d} documents more</source>
        <translation>多了 {0} 个文档</translation>
    </message>
    <message>
        <source>{0:d} locked by a password</source>
        <translation>{0} 个有密码保护</translation>
    </message>
    <message>
        <source>{0:d} message</source>
        <translation>{0} 封邮件</translation>
    </message>
    <message>
        <source>{0:d} messages</source>
        <translation>{0} 封邮件</translation>
    </message>
    <message>
        <source>{0:d} more</source>
        <translation>另外 {0} 个</translation>
    </message>
    <message>
        <source>{0:d} not read (failed or cancelled)</source>
        <translation>{0} 个未读取（失败或已取消）</translation>
    </message>
    <message>
        <source>{0:d} page</source>
        <translation>{0} 页</translation>
    </message>
    <message>
        <source>{0:d} pages</source>
        <translation>{0} 页</translation>
    </message>
    <message>
        <source>{0:d} pages are</source>
        <translation>{0} 页</translation>
    </message>
    <message>
        <source>{0:d} pages hold</source>
        <translation>{0} 页</translation>
    </message>
    <message>
        <source>{0:d} pages were</source>
        <translation>{0} 页</translation>
    </message>
    <message>
        <source>{0:d} paragraphs are repeated in it</source>
        <translation>其中有 {0} 个自然段重复出现</translation>
    </message>
    <message>
        <source>{0:d} part</source>
        <translation>{0} 部分</translation>
    </message>
    <message>
        <source>{0:d} parts</source>
        <translation>{0} 部分</translation>
    </message>
    <message>
        <source>{0:d} parts of a message: {1}</source>
        <translation>邮件的 {0} 个部分：{1}</translation>
    </message>
    <message>
        <source>{0:d} passages fewer</source>
        <translation>少了 {0} 个段落</translation>
    </message>
    <message>
        <source>{0:d} passages more</source>
        <translation>多了 {0} 个段落</translation>
    </message>
    <message>
        <source>{0:d} pictures not read</source>
        <translation>{0} 张图片未读取</translation>
    </message>
    <message>
        <source>{0:d} record</source>
        <translation>{0} 条记录</translation>
    </message>
    <message>
        <source>{0:d} records</source>
        <translation>{0} 条记录</translation>
    </message>
    <message>
        <source>{0:d} repetitions of the same rows or cells</source>
        <translation>相同行或单元格的 {0} 次重复</translation>
    </message>
    <message>
        <source>{0:d} rows of tables of more than {1:d} cells; save such a table as CSV and add that</source>
        <translation>超过 {1} 个单元格的表格中的 {0} 行；请将这样的表格另存为 CSV 后添加</translation>
    </message>
    <message>
        <source>{0:d} seconds</source>
        <translation>{0} 秒</translation>
    </message>
    <message>
        <source>{0:d} sentences</source>
        <translation>{0} 个句子</translation>
    </message>
    <message>
        <source>{0:d} sheet</source>
        <translation>{0} 个工作表</translation>
    </message>
    <message>
        <source>{0:d} sheets</source>
        <translation>{0} 个工作表</translation>
    </message>
    <message>
        <source>{0:d} slide</source>
        <translation>{0} 张幻灯片</translation>
    </message>
    <message>
        <source>{0:d} slides</source>
        <translation>{0} 张幻灯片</translation>
    </message>
    <message>
        <source>{0:d} still to be read</source>
        <translation>{0} 个待读取</translation>
    </message>
    <message>
        <source>{0:d} tables found</source>
        <translation>找到 {0} 个表格</translation>
    </message>
    <message>
        <source>{0:d} tables found there.</source>
        <translation>在其中找到 {0} 个表格。</translation>
    </message>
    <message>
        <source>{0:d} vectors fewer</source>
        <translation>少了 {0} 个向量</translation>
    </message>
    <message>
        <source>{0:d} vectors more</source>
        <translation>多了 {0} 个向量</translation>
    </message>
    <message>
        <source>{0:d} were given</source>
        <translation>共给出 {0} 段</translation>
    </message>
    <message>
        <source>{0} (character {1}).</source>
        <translation>{0}（第 {1} 个字符）。</translation>
    </message>
    <message>
        <source>{0} (read by OCR)</source>
        <translation>{0}（由 OCR 识别）</translation>
    </message>
    <message>
        <source>{0} It is found by keyword only.</source>
        <translation>{0}只能按关键词找到。</translation>
    </message>
    <message>
        <source>{0} It uses the network.</source>
        <translation>{0} 会使用网络。</translation>
    </message>
    <message>
        <source>{0} Its settings were ignored.</source>
        <translation>{0}其设置已忽略。</translation>
    </message>
    <message>
        <source>{0} The answer was made without it.</source>
        <translation>{0}回答时未使用它。</translation>
    </message>
    <message>
        <source>{0} The answer was made without “{1}”.</source>
        <translation>{0}回答时未使用“{1}”。</translation>
    </message>
    <message>
        <source>{0} The model calls them by text instead, which works less well with small models.</source>
        <translation>{0}模型改用文本方式调用工具，较小的模型在这方面表现较差。</translation>
    </message>
    <message>
        <source>{0} The model&apos;s own plan was used.</source>
        <translation>{0}已按模型制定的计划执行。</translation>
    </message>
    <message>
        <source>{0} This answer may miss what your documents say.</source>
        <translation>{0}此回答可能遗漏文档中的内容。</translation>
    </message>
    <message>
        <source>{0} answered with a message instead of a model&apos;s answer: {1}</source>
        <translation>{0} 返回的是一条消息，而不是模型的回答：{1}</translation>
    </message>
    <message>
        <source>{0} answered with {1} instead of a model&apos;s answer.</source>
        <translation>{0} 返回的是 {1}，而不是模型的回答。</translation>
    </message>
    <message>
        <source>{0} requires a key.</source>
        <translation>{0} 要求提供密钥。</translation>
    </message>
    <message>
        <source>{0} cannot be loaded: {1}.</source>
        <translation>无法加载 {0}：{1}。</translation>
    </message>
    <message>
        <source>{0} cannot be reached.</source>
        <translation>无法访问 {0}。</translation>
    </message>
    <message>
        <source>{0} cannot be {1}.</source>
        <translation>{0}不能是 {1}。</translation>
    </message>
    <message>
        <source>{0} closed the connection without an answer.</source>
        <translation>{0} 没有应答就关闭了连接。</translation>
    </message>
    <message>
        <source>{0} did not answer in time.</source>
        <translation>{0} 没有及时应答。</translation>
    </message>
    <message>
        <source>{0} are not in any passage found.</source>
        <translation>找到的段落里都没有{0}。</translation>
    </message>
    <message>
        <source>{0} are not in the cited passage.</source>
        <translation>引用的段落里没有{0}。</translation>
    </message>
    <message>
        <source>{0} does not answer.</source>
        <translation>{0} 没有应答。</translation>
    </message>
    <message>
        <source>{0} does not let you use it: {1}</source>
        <translation>{0} 不允许你使用它：{1}</translation>
    </message>
    <message>
        <source>{0} does not let “{1}” call tools: {2}</source>
        <translation>{0} 不允许“{1}”调用工具：{2}</translation>
    </message>
    <message>
        <source>{0} does not support https.</source>
        <translation>{0} 不支持 https。</translation>
    </message>
    <message>
        <source>{0} is not in any passage found.</source>
        <translation>找到的段落里都没有{0}。</translation>
    </message>
    <message>
        <source>{0} is not in the cited passage.</source>
        <translation>引用的段落里没有{0}。</translation>
    </message>
    <message>
        <source>{0} failed (error {1})</source>
        <translation>{0} 出错（错误 {1}）</translation>
    </message>
    <message>
        <source>{0} failed (error {1}).</source>
        <translation>{0} 出错（错误 {1}）。</translation>
    </message>
    <message>
        <source>{0} failed.</source>
        <translation>{0} 失败。</translation>
    </message>
    <message>
        <source>{0} has changed since you looked at it.</source>
        <translation>{0} 在你查看之后有更改。</translation>
    </message>
    <message>
        <source>{0} is limiting requests.</source>
        <translation>{0} 正在限制请求。</translation>
    </message>
    <message>
        <source>{0} is limiting requests: {1}</source>
        <translation>{0} 正在限制请求：{1}</translation>
    </message>
    <message>
        <source>{0} is not a library of this program.</source>
        <translation>{0} 不是本程序的文档库。</translation>
    </message>
    <message>
        <source>{0} keeps its files in the library and has no server.</source>
        <translation>{0} 将文件保存在文档库中，没有服务器。</translation>
    </message>
    <message>
        <source>{0} merged into one</source>
        <translation>{0} 段合为一段</translation>
    </message>
    <message>
        <source>{0} must be a number, not “{1}”.</source>
        <translation>{0} 必须是数字，不能是“{1}”。</translation>
    </message>
    <message>
        <source>{0} must be a whole number, not “{1}”.</source>
        <translation>{0} 必须是整数，不能是“{1}”。</translation>
    </message>
    <message>
        <source>{0} must be from {1} to {2}.</source>
        <translation>{0} 必须在 {1} 到 {2} 之间。</translation>
    </message>
    <message>
        <source>{0} must be one of {1}.</source>
        <translation>{0} 必须是以下之一：{1}。</translation>
    </message>
    <message>
        <source>{0} must be {1} above 0; it was ignored.</source>
        <translation>{0} 必须是大于 0 的{1}，已忽略。</translation>
    </message>
    <message>
        <source>{0} names the variable {1}, which is not set.</source>
        <translation>{0} 使用了变量 {1}，但它未设置。</translation>
    </message>
    <message>
        <source>{0} needs the address of a server.</source>
        <translation>{0} 需要服务器的地址。</translation>
    </message>
    <message>
        <source>{0} no text; scanned pictures cannot be searched.</source>
        <translation>{0}没有文字；扫描的图片无法搜索。</translation>
    </message>
    <message>
        <source>{0} of 1 sentence supported</source>
        <translation>1 句中 {0} 句有依据</translation>
    </message>
    <message>
        <source>{0} of your edits could not be applied again: the text is not in the file any more.</source>
        <translation>你的 {0} 处编辑无法再次应用：文件中已没有那段文字。</translation>
    </message>
    <message>
        <source>{0} of {1} sentences supported</source>
        <translation>{1} 句中 {0} 句有依据</translation>
    </message>
    <message>
        <source>{0} read by OCR</source>
        <translation>{0}由 OCR 识别</translation>
    </message>
    <message>
        <source>{0} read with the layout model</source>
        <translation>{0}由版面模型读取</translation>
    </message>
    <message>
        <source>{0} refused the key.</source>
        <translation>{0} 拒绝了密钥。</translation>
    </message>
    <message>
        <source>{0} refused the name, password or key.</source>
        <translation>{0} 拒绝了用户名、密码或密钥。</translation>
    </message>
    <message>
        <source>{0} reported an error: {1}</source>
        <translation>{0} 报告错误：{1}</translation>
    </message>
    <message>
        <source>{0} says that the quota is used up: {1}</source>
        <translation>{0} 表示配额已用完：{1}</translation>
    </message>
    <message>
        <source>{0} redirects requests to another address ({1}), which is not followed.</source>
        <translation>{0} 把请求重定向到另一个地址（{1}），本程序不会跟随。</translation>
    </message>
    <message>
        <source>{0} redirects requests to another address, which is not followed.</source>
        <translation>{0} 把请求重定向到另一个地址，本程序不会跟随。</translation>
    </message>
    <message>
        <source>{0} sent something that is not an answer ({1}).</source>
        <translation>{0} 发来的不是回答（{1}）。</translation>
    </message>
    <message>
        <source>{0} sentences could not be checked: the passages are in another language</source>
        <translation>{0} 句无法核对：段落是另一种语言</translation>
    </message>
    <message>
        <source>{0} shows a certificate that this computer does not trust.</source>
        <translation>{0} 出示的证书不受本机信任。</translation>
    </message>
    <message>
        <source>{0} did not respond for too long, so the request was stopped.</source>
        <translation>{0} 长时间没有响应，已停止请求。</translation>
    </message>
    <message>
        <source>{0:d} passages are longer than the {1} tokens that the model reads at once, and harder to find. Split them again to fit.</source>
        <translation>有 {0} 个段落超过模型一次能读取的 {1} 个 token，较难被搜到。可以重新切分以适应模型。</translation>
    </message>
    <message>
        <source>{0} without text</source>
        <translation>{0}没有文字</translation>
    </message>
    <message>
        <source>{0} {1} while it was loaded.</source>
        <translation>加载时 {0} {1}。</translation>
    </message>
    <message>
        <source>{0}, line {1:d}</source>
        <translation>{0}，第 {1} 行</translation>
    </message>
    <message>
        <source>{0}, lines {1:d} to {2:d}</source>
        <translation>{0}，第 {1} 至 {2} 行</translation>
    </message>
    <message>
        <source>{0}, only by keyword</source>
        <translation>{0}，仅按关键词</translation>
    </message>
    <message>
        <source>{0}, row {1:d}</source>
        <translation>{0}，表格第 {1} 行</translation>
    </message>
    <message>
        <source>{0}, rows {1:d} to {2:d}</source>
        <translation>{0}，表格第 {1} 至 {2} 行</translation>
    </message>
    <message>
        <source>{0}, text edited by you</source>
        <translation>{0}，文字由你修改</translation>
    </message>
    <message>
        <source>{0}, {1:d} of them only by keyword</source>
        <translation>{0}，其中 {1} 个仅按关键词</translation>
    </message>
    <message>
        <source>{agent} ({profile})</source>
        <translation>{agent}（{profile}）</translation>
    </message>
    <message>
        <source>{edits}, {lost} not applied</source>
        <translation>{edits}，{lost} 处未能应用</translation>
    </message>
    <message>
        <source>{edit} (undone)</source>
        <translation>{edit}（已撤销）</translation>
    </message>
    <message>
        <source>{edit}.</source>
        <translation>{edit}。</translation>
    </message>
    <message>
        <source>{exported} This page loads nothing from anywhere.</source>
        <translation>{exported}本页不加载任何外部内容。</translation>
    </message>
    <message>
        <source>{extent} in “{name}”</source>
        <translation>“{name}”：{extent}</translation>
    </message>
    <message>
        <source>{extent}. Largest regions: {regions}.</source>
        <translation>{extent}。最大的区域：{regions}。</translation>
    </message>
    <message>
        <source>{field} of {letter}</source>
        <translation>{letter} 的{field}</translation>
    </message>
    <message>
        <source>{first} {second}</source>
        <translation>{first}{second}</translation>
    </message>
    <message>
        <source>{found} of {n:,} question have a right passage among the first {k} hits.</source>
        <comment>{found} of {n:,} questions have a right passage among the first {k} hits.</comment>
        <translation>{n:,} 个问题中有 {found} 个在前 {k} 条命中里有正确段落。</translation>
    </message>
    <message>
        <source>{gravity}: {title}. {detail}</source>
        <translation>{gravity}：{title}。{detail}</translation>
    </message>
    <message>
        <source>{key} is replaced by its value</source>
        <translation>把 {key} 替换为它的值</translation>
    </message>
    <message>
        <source>{kind}: {title}</source>
        <translation>{kind}：{title}</translation>
    </message>
    <message>
        <source>{kind}: {title}. {facts}</source>
        <translation>{kind}：{title}。{facts}</translation>
    </message>
    <message>
        <source>{minutes} min {seconds} s</source>
        <translation>{minutes} 分 {seconds} 秒</translation>
    </message>
    <message>
        <source>{model} answers on this computer.</source>
        <translation>{model} 在本机回答。</translation>
    </message>
    <message>
        <source>{model} at {host} cannot answer: offline mode is on.</source>
        <translation>{host} 上的 {model} 无法回答：断网模式已开。</translation>
    </message>
    <message>
        <source>{moved}. {stay}</source>
        <translation>{moved}。{stay}</translation>
    </message>
    <message>
        <source>{ms:.1f} ms, {n} hit</source>
        <comment>{ms:.1f} ms, {n} hits</comment>
        <translation>{ms:.1f} 毫秒，{n} 条命中</translation>
    </message>
    <message>
        <source>{n:,.0f} s</source>
        <translation>{n:,.0f} 秒</translation>
    </message>
    <message>
        <source>{n:,} MB</source>
        <translation>{n:,} MB</translation>
    </message>
    <message>
        <source>{n:,} added</source>
        <translation>添加 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} already in the library</source>
        <translation>{n:,} 个已在文档库中</translation>
    </message>
    <message>
        <source>{n:,} byte</source>
        <comment>{n:,} bytes</comment>
        <translation>{n:,} 字节</translation>
    </message>
    <message>
        <source>{n:,} bytes</source>
        <translation>{n:,} 字节</translation>
    </message>
    <message>
        <source>{n:,} call</source>
        <comment>{n:,} calls</comment>
        <translation>{n:,} 次调用</translation>
    </message>
    <message>
        <source>{n:,} call of the model and the conclusion, about {read:,} tokens read and {written:,} written</source>
        <comment>{n:,} calls of the model and the conclusion, about {read:,} tokens read and {written:,} written</comment>
        <translation>调用模型 {n:,} 次并写结论，约输入 {read:,} 个 token、输出 {written:,} 个</translation>
    </message>
    <message>
        <source>{n:,} cell</source>
        <translation>{n:,} 个单元格</translation>
    </message>
    <message>
        <source>{n:,} chapter</source>
        <translation>{n:,} 章</translation>
    </message>
    <message>
        <source>{n:,} compared</source>
        <translation>比较 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} could not be read</source>
        <translation>{n:,} 个无法读取</translation>
    </message>
    <message>
        <source>{n:,} day</source>
        <comment>{n:,} days</comment>
        <translation>{n:,} 天</translation>
    </message>
    <message>
        <source>{n:,} day ago</source>
        <comment>{n:,} days ago</comment>
        <translation>{n:,} 天前</translation>
    </message>
    <message>
        <source>{n:,} document</source>
        <comment>{n:,} documents</comment>
        <translation>{n:,} 个文档</translation>
    </message>
    <message>
        <source>{n:,} document needs a password</source>
        <comment>{n:,} documents need a password</comment>
        <translation>{n:,} 个文档需要密码</translation>
    </message>
    <message>
        <source>{n:,} document ready</source>
        <comment>{n:,} documents ready</comment>
        <translation>{n:,} 个文档已就绪</translation>
    </message>
    <message>
        <source>{n:,} edit</source>
        <comment>{n:,} edits</comment>
        <translation>{n:,} 处修改</translation>
    </message>
    <message>
        <source>{n:,} failed</source>
        <translation>{n:,} 个失败</translation>
    </message>
    <message>
        <source>{n:,} file</source>
        <comment>{n:,} files</comment>
        <translation>{n:,} 个文件</translation>
    </message>
    <message>
        <source>{n:,} file cannot be opened.</source>
        <comment>{n:,} files cannot be opened.</comment>
        <translation>{n:,} 个文件无法打开。</translation>
    </message>
    <message>
        <source>{n:,} file in {folder}</source>
        <comment>{n:,} files in {folder}</comment>
        <translation>{folder} 中的 {n:,} 个文件</translation>
    </message>
    <message>
        <source>{n:,} file read.</source>
        <comment>{n:,} files read.</comment>
        <translation>已读取 {n:,} 个文件。</translation>
    </message>
    <message>
        <source>{n:,} file so far</source>
        <comment>{n:,} files so far</comment>
        <translation>目前 {n:,} 个文件</translation>
    </message>
    <message>
        <source>{n:,} hour ago</source>
        <comment>{n:,} hours ago</comment>
        <translation>{n:,} 小时前</translation>
    </message>
    <message>
        <source>{n:,} link</source>
        <comment>{n:,} links</comment>
        <translation>{n:,} 个链接</translation>
    </message>
    <message>
        <source>{n:,} locked</source>
        <translation>{n:,} 个加密</translation>
    </message>
    <message>
        <source>{n:,} message</source>
        <translation>{n:,} 封邮件</translation>
    </message>
    <message>
        <source>{n:,} minute</source>
        <comment>{n:,} minutes</comment>
        <translation>{n:,} 分钟</translation>
    </message>
    <message>
        <source>{n:,} minute ago</source>
        <comment>{n:,} minutes ago</comment>
        <translation>{n:,} 分钟前</translation>
    </message>
    <message>
        <source>{n:,} model: {models}</source>
        <comment>{n:,} models: {models}</comment>
        <translation>{n:,} 个模型：{models}</translation>
    </message>
    <message>
        <source>{n:,} moved</source>
        <translation>移动 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} moved to the bin</source>
        <translation>移到回收站 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} of {total:,}</source>
        <translation>{n:,} / {total:,}</translation>
    </message>
    <message>
        <source>{n:,} page</source>
        <translation>{n:,} 页</translation>
    </message>
    <message>
        <source>{n:,} part</source>
        <translation>{n:,} 部分</translation>
    </message>
    <message>
        <source>{n:,} passage</source>
        <comment>{n:,} passages</comment>
        <translation>{n:,} 个段落</translation>
    </message>
    <message>
        <source>{n:,} passage and the question would be sent to {host}.</source>
        <comment>{n:,} passages and the question would be sent to {host}.</comment>
        <translation>{n:,} 个段落和问题将发送到 {host}。</translation>
    </message>
    <message>
        <source>{n:,} problem</source>
        <comment>{n:,} problems</comment>
        <translation>{n:,} 个问题</translation>
    </message>
    <message>
        <source>{n:,} question</source>
        <comment>{n:,} questions</comment>
        <translation>{n:,} 个问题</translation>
    </message>
    <message>
        <source>{n:,} question added</source>
        <comment>{n:,} questions added</comment>
        <translation>已添加 {n:,} 个问题</translation>
    </message>
    <message>
        <source>{n:,} question could not be measured.</source>
        <comment>{n:,} questions could not be measured.</comment>
        <translation>{n:,} 个问题无法评测。</translation>
    </message>
    <message>
        <source>{n:,} question with the answers</source>
        <comment>{n:,} questions with the answers</comment>
        <translation>{n:,} 个问题及回答</translation>
    </message>
    <message>
        <source>{n:,} question: {before} → {after}</source>
        <comment>{n:,} questions: {before} → {after}</comment>
        <translation>{n:,} 个问题：{before} → {after}</translation>
    </message>
    <message>
        <source>{n:,} quote discarded: not in the passage</source>
        <comment>{n:,} quotes discarded: not in the passage</comment>
        <translation>弃用 {n:,} 条引文：不在段落中</translation>
    </message>
    <message>
        <source>{n:,} record</source>
        <translation>{n:,} 条记录</translation>
    </message>
    <message>
        <source>{n:,} refused</source>
        <translation>{n:,} 条被拦截</translation>
    </message>
    <message>
        <source>{n:,} request</source>
        <comment>{n:,} requests</comment>
        <translation>{n:,} 条请求</translation>
    </message>
    <message>
        <source>{n:,} request removed from the list.</source>
        <comment>{n:,} requests removed from the list.</comment>
        <translation>已从记录中删除 {n:,} 条请求。</translation>
    </message>
    <message>
        <source>{n:,} right passage</source>
        <comment>{n:,} right passages</comment>
        <translation>{n:,} 个正确段落</translation>
    </message>
    <message>
        <source>{n:,} second</source>
        <comment>{n:,} seconds</comment>
        <translation>{n:,} 秒</translation>
    </message>
    <message>
        <source>{n:,} session of {all:,}</source>
        <comment>{n:,} sessions of {all:,}</comment>
        <translation>{n:,} / {all:,} 个会话</translation>
    </message>
    <message>
        <source>{n:,} sheet</source>
        <translation>{n:,} 个工作表</translation>
    </message>
    <message>
        <source>{n:,} skipped</source>
        <translation>{n:,} 个已跳过</translation>
    </message>
    <message>
        <source>{n:,} slide</source>
        <translation>{n:,} 张幻灯片</translation>
    </message>
    <message>
        <source>{n:,} topic</source>
        <comment>{n:,} topics</comment>
        <translation>{n:,} 个主题</translation>
    </message>
    <message>
        <source>{n:,} unreadable</source>
        <translation>{n:,} 个无法读取</translation>
    </message>
    <message>
        <source>{n:,} waiting</source>
        <translation>{n:,} 个等待中</translation>
    </message>
    <message>
        <source>{n:,} warning</source>
        <comment>{n:,} warnings</comment>
        <translation>{n:,} 个警告</translation>
    </message>
    <message>
        <source>{n:,} wrong</source>
        <translation>{n:,} 个错误</translation>
    </message>
    <message>
        <source>{n:,} {ending}</source>
        <translation>{n:,} 个 {ending}</translation>
    </message>
    <message>
        <source>{n:,} {verdict}</source>
        <translation>{n:,} 个{verdict}</translation>
    </message>
    <message>
        <source>{n:,}, about {size}</source>
        <translation>{n:,}，约 {size}</translation>
    </message>
    <message>
        <source>{n:,}, {size}</source>
        <translation>{n:,}，{size}</translation>
    </message>
    <message>
        <source>{n:.0f} ms</source>
        <translation>{n:.0f} 毫秒</translation>
    </message>
    <message>
        <source>{n:.1f} hours</source>
        <translation>{n:.1f} 小时</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 等（另有 {n} 个）</translation>
    </message>
    <message>
        <source>{name} (not finished)</source>
        <translation>{name}（未完成）</translation>
    </message>
    <message>
        <source>{name} (under way)</source>
        <translation>{name}（进行中）</translation>
    </message>
    <message>
        <source>{name} ({n:,} characters)</source>
        <translation>{name}（{n:,} 个字符）</translation>
    </message>
    <message>
        <source>{name} ({words})</source>
        <translation>{name}（{words}）</translation>
    </message>
    <message>
        <source>{name}, {dimensions} dimensions, reads {tokens} tokens.</source>
        <translation>{name}，{dimensions} 维，可读取 {tokens} 个 token。</translation>
    </message>
    <message>
        <source>{name}. {tip}</source>
        <translation>{name}：{tip}</translation>
    </message>
    <message>
        <source>{name}: A {first}, B {second}, {change}</source>
        <translation>{name}：A {first}，B {second}，{change}</translation>
    </message>
    <message>
        <source>{name}: allowed</source>
        <translation>{name}：已允许</translation>
    </message>
    <message>
        <source>{name}: cannot be read</source>
        <translation>{name}：无法读取</translation>
    </message>
    <message>
        <source>{name}: in the library as “{other}”</source>
        <translation>{name}：文档库中已有，名为“{other}”</translation>
    </message>
    <message>
        <source>{name}: nDCG@10 {value:.2f}, {date}</source>
        <translation>{name}：nDCG@10 {value:.2f}，{date}</translation>
    </message>
    <message>
        <source>{name}: not allowed</source>
        <translation>{name}：未允许</translation>
    </message>
    <message>
        <source>{name}: the same as “{other}”</source>
        <translation>{name}：与“{other}”相同</translation>
    </message>
    <message>
        <source>{name}: {finding}</source>
        <translation>{name}：{finding}</translation>
    </message>
    <message>
        <source>{name}: {place}; {cut}. {detail}</source>
        <translation>{name}：{place}；{cut}。{detail}</translation>
    </message>
    <message>
        <source>{name}: {words}</source>
        <translation>{name}：{words}</translation>
    </message>
    <message>
        <source>{n} found</source>
        <translation>找到 {n} 项</translation>
    </message>
    <message>
        <source>{n} min</source>
        <translation>{n} 分钟</translation>
    </message>
    <message>
        <source>{n} of {most} tokens</source>
        <translation>{n} / {most} 个 token</translation>
    </message>
    <message>
        <source>{n} of {total} · {time} · {event}</source>
        <translation>{n}/{total} · {time} · {event}</translation>
    </message>
    <message>
        <source>{n} page</source>
        <comment>{n} pages</comment>
        <translation>{n} 页</translation>
    </message>
    <message>
        <source>{n} passage</source>
        <comment>{n} passages</comment>
        <translation>{n} 个段落</translation>
    </message>
    <message>
        <source>{n} question</source>
        <comment>{n} questions</comment>
        <translation>{n} 个问题</translation>
    </message>
    <message>
        <source>{n} question, begun {when}</source>
        <comment>{n} questions, begun {when}</comment>
        <translation>{n} 个问题，开始于 {when}</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{n} session</source>
        <comment>{n} sessions</comment>
        <translation> {n} 个会话</translation>
    </message>
    <message>
        <source>{n} step · {time}</source>
        <comment>{n} steps · {time}</comment>
        <translation>{n} 步 · {time}</translation>
    </message>
    <message>
        <source>{n}. {who}, {time} · {question}</source>
        <translation>{n}. {who}，{time} · {question}</translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <translation>{one} 和 {other}</translation>
    </message>
    <message>
        <source>{others} and {last}</source>
        <translation>{others}和{last}</translation>
    </message>
    <message>
        <source>{page}, {n} found</source>
        <translation>{page}，找到 {n} 项</translation>
    </message>
    <message>
        <source>{part} (read by OCR)</source>
        <translation>{part}（由 OCR 识别）</translation>
    </message>
    <message>
        <source>{part}, {size}</source>
        <translation>{part}，{size}</translation>
    </message>
    <message>
        <source>{passages} of {documents}</source>
        <translation>{documents}中的 {passages}</translation>
    </message>
    <message>
        <source>{passages} of {documents}, every one of them</source>
        <translation>{documents}中的全部 {passages}</translation>
    </message>
    <message>
        <source>{passages}, about {tokens:,} tokens.</source>
        <translation>{passages}，约 {tokens:,} 个 token。</translation>
    </message>
    <message>
        <source>{passages}, none cited</source>
        <translation>{passages}，均未引用</translation>
    </message>
    <message>
        <source>{passages}, {n} cited</source>
        <translation>{passages}，引用 {n} 个</translation>
    </message>
    <message>
        <source>{place:,} of {places:,}</source>
        <translation>第 {place:,} 处，共 {places:,} 处</translation>
    </message>
    <message>
        <source>{place:,} of {places:,}+</source>
        <translation>第 {place:,} 处，共 {places:,}+ 处</translation>
    </message>
    <message>
        <source>{place}, with the passage marked</source>
        <translation>{place}（已标出段落）</translation>
    </message>
    <message>
        <source>{questions}. {exported}</source>
        <translation>{questions}。{exported}</translation>
    </message>
    <message>
        <source>{question} Replace it?</source>
        <translation>{question}要替换吗？</translation>
    </message>
    <message>
        <source>{rank:,} of {size:,}</source>
        <translation>第 {rank:,} 名，共 {size:,}</translation>
    </message>
    <message>
        <source>{read:,} of {n:,}</source>
        <translation>{read:,} / {n:,}</translation>
    </message>
    <message>
        <source>{read:,} of {n:,} file read</source>
        <comment>{read:,} of {n:,} files read</comment>
        <translation>已读取 {read:,}/{n:,} 个文件</translation>
    </message>
    <message>
        <source>{read:,} of {n:,} passage</source>
        <comment>{read:,} of {n:,} passages</comment>
        <translation>{read:,} / {n:,} 个段落</translation>
    </message>
    <message>
        <source>{read:,} of {n:,} read</source>
        <translation>已读 {read:,} / {n:,}</translation>
    </message>
    <message>
        <source>{read} · about {time} left</source>
        <translation>{read} · 约剩 {time}</translation>
    </message>
    <message>
        <source>{read}.</source>
        <translation>{read}。</translation>
    </message>
    <message>
        <source>{read}. Writing the conclusion…</source>
        <translation>{read}。正在写结论…</translation>
    </message>
    <message>
        <source>{requests} with {passages}</source>
        <translation>{requests}，带有 {passages}</translation>
    </message>
    <message>
        <source>{row} of {rows}</source>
        <translation>第 {row} 行，共 {rows} 行</translation>
    </message>
    <message>
        <source>{score}, rank {rank}</source>
        <translation>{score}，第 {rank} 名</translation>
    </message>
    <message>
        <source>{seconds:.1f} s</source>
        <translation>{seconds:.1f} 秒</translation>
    </message>
    <message>
        <source>{sentence} {next}</source>
        <translation>{sentence}{next}</translation>
    </message>
    <message>
        <source>{sentence}.</source>
        <translation>{sentence}。</translation>
    </message>
    <message>
        <source>{shown:,} of {all:,} models</source>
        <translation>{all:,} 个模型中的 {shown:,} 个</translation>
    </message>
    <message>
        <source>{size} sent</source>
        <translation>发送 {size}</translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation>{start} 到 {end}</translation>
    </message>
    <message>
        <source>{text} … ({n:,} characters)</source>
        <translation>{text}…（共 {n:,} 个字符）</translation>
    </message>
    <message>
        <source>{things} and {last}</source>
        <translation>{things}和{last}</translation>
    </message>
    <message>
        <source>{title}.</source>
        <translation>{title}。</translation>
    </message>
    <message>
        <source>{title}. {detail}</source>
        <translation>{title}。{detail}</translation>
    </message>
    <message>
        <source>{title}: hide the steps</source>
        <translation>{title}：收起步骤</translation>
    </message>
    <message>
        <source>{title}: show the steps</source>
        <translation>{title}：展开步骤</translation>
    </message>
    <message>
        <source>“links” shows the linked folders with their numbers.</source>
        <translation>“links”会列出关联文件夹及其编号。</translation>
    </message>
    <message>
        <source>“list” shows the documents with their numbers.</source>
        <translation>“list”会列出文档及其编号。</translation>
    </message>
    <message>
        <source>“retrievers” must be a list of names; it was ignored.</source>
        <translation>“retrievers”必须是名称列表，已忽略。</translation>
    </message>
    <message>
        <source>“runs replay” lists the steps with their numbers.</source>
        <translation>“runs replay”会列出各步骤及其编号。</translation>
    </message>
    <message>
        <source>“sessions” lists those there are.</source>
        <translation>“sessions”会列出现有的会话。</translation>
    </message>
    <message>
        <source>“workbench backup list” shows what there is.</source>
        <translation>“workbench backup list”会列出现有备份。</translation>
    </message>
    <message>
        <source>“workbench eval --history” lists those that are kept.</source>
        <translation>“workbench eval --history”会列出保留的评测。</translation>
    </message>
    <message>
        <source>“workbench eval --history” names what there is.</source>
        <translation>“workbench eval --history”会列出现有的名称。</translation>
    </message>
    <message>
        <source>“workbench memory list” shows what is remembered.</source>
        <translation>“workbench memory list”会列出记住的内容。</translation>
    </message>
    <message>
        <source>“workbench network list” shows them.</source>
        <translation>“workbench network list”会列出它们。</translation>
    </message>
    <message>
        <source>“workbench read-all --list” lists those there are.</source>
        <translation>“workbench read-all --list”会列出现有的通读。</translation>
    </message>
    <message>
        <source>“{0}:” addresses are not fetched, only pages of the web.</source>
        <translation>不获取“{0}:”地址，只获取网页。</translation>
    </message>
    <message>
        <source>“{0}{1}” takes one value.</source>
        <translation>“{0}{1}”只接受一个值。</translation>
    </message>
    <message>
        <source>“{0}” and {1} more already exist.</source>
        <translation>“{0}”和另外 {1} 个文件已存在。</translation>
    </message>
    <message>
        <source>“{0}” and “{1}”</source>
        <translation>“{0}”和“{1}”</translation>
    </message>
    <message>
        <source>“{0}” and “{1}” and “{2}”</source>
        <translation>“{0}”、“{1}”和“{2}”</translation>
    </message>
    <message>
        <source>“{0}” and “{1}” are not in it.</source>
        <translation>其中没有“{0}”和“{1}”。</translation>
    </message>
    <message>
        <source>“{0}” and “{1}” of your question are in it</source>
        <translation>其中有问题里的“{0}”和“{1}”</translation>
    </message>
    <message>
        <source>“{0}” and “{1}” of your question are not in it</source>
        <translation>其中没有问题里的“{0}”和“{1}”</translation>
    </message>
    <message>
        <source>“{0}” can mean {1} documents.</source>
        <translation>“{0}”可能指 {1} 个文档。</translation>
    </message>
    <message>
        <source>“{0}” cannot be a tag.</source>
        <translation>“{0}”不能作为标签。</translation>
    </message>
    <message>
        <source>“{0}” cannot be opened.</source>
        <translation>无法打开“{0}”。</translation>
    </message>
    <message>
        <source>“{0}” cannot be read: {1}.</source>
        <translation>无法读取“{0}”：{1}。</translation>
    </message>
    <message>
        <source>“{0}” cannot be the value of a filter.</source>
        <translation>“{0}”不能作为筛选的值。</translation>
    </message>
    <message>
        <source>“{0}” cannot be calculated: {1}</source>
        <translation>无法计算“{0}”：{1}</translation>
    </message>
    <message>
        <source>“{0}” cannot be written: {1}.</source>
        <translation>无法写入“{0}”：{1}。</translation>
    </message>
    <message>
        <source>“{0}” cannot be {1}.</source>
        <translation>“{0}”不能是 {1}。</translation>
    </message>
    <message>
        <source>“{0}” cannot be “{1}”.</source>
        <translation>“{0}”不能是“{1}”。</translation>
    </message>
    <message>
        <source>“{0}” cannot prove that it is the server it says it is: {1}.</source>
        <translation>“{0}”无法证明自己就是所称的服务器：{1}。</translation>
    </message>
    <message>
        <source>“{0}” changed while it was read.</source>
        <translation>“{0}”在读取过程中有更改。</translation>
    </message>
    <message>
        <source>“{0}” contains something that looks like a key or a password.</source>
        <translation>“{0}”中有像是密钥或密码的内容。</translation>
    </message>
    <message>
        <source>“{0}” could not be made: it took too long, or too much memory.</source>
        <translation>无法生成“{0}”：用时太长，或占用内存太多。</translation>
    </message>
    <message>
        <source>“{0}” could not be read and was moved to quarantine.</source>
        <translation>“{0}”无法读取，已移到隔离区。</translation>
    </message>
    <message>
        <source>“{0}” did not answer with JSON.</source>
        <translation>“{0}”返回的不是 JSON。</translation>
    </message>
    <message>
        <source>“{0}” does not answer.</source>
        <translation>“{0}”没有应答。</translation>
    </message>
    <message>
        <source>“{0}” does not exist.</source>
        <translation>“{0}”不存在。</translation>
    </message>
    <message>
        <source>“{0}” has changed since you looked at it.</source>
        <translation>“{0}”在你查看之后有更改。</translation>
    </message>
    <message>
        <source>“{0}” has no characters {1} to {2}.</source>
        <translation>“{0}”没有第 {1} 到 {2} 个字符。</translation>
    </message>
    <message>
        <source>“{0}” has no page {1} to show.</source>
        <translation>“{0}”没有可显示的第 {1} 页。</translation>
    </message>
    <message>
        <source>“{0}” is a link to a file that does not exist.</source>
        <translation>“{0}”是指向不存在文件的链接。</translation>
    </message>
    <message>
        <source>“{0}” is a computer in your own network ({1}), which is not contacted without your permission.</source>
        <translation>“{0}”是你自己网络中的计算机（{1}），未经你允许不会访问。</translation>
    </message>
    <message>
        <source>“{0}” is being read just now.</source>
        <translation>正在读取“{0}”。</translation>
    </message>
    <message>
        <source>“{0}” is damaged and cannot be read.</source>
        <translation>“{0}”已损坏，无法读取。</translation>
    </message>
    <message>
        <source>“{0}” is damaged in “{1}”.</source>
        <translation>“{1}”中的“{0}”已损坏。</translation>
    </message>
    <message>
        <source>“{0}” is locked by a password, so it was not read.</source>
        <translation>“{0}”有密码保护，所以没有读取。</translation>
    </message>
    <message>
        <source>“{0}” is neither a bundle nor a JSON export of a session.</source>
        <translation>“{0}”既不是归档包，也不是会话的 JSON 导出文件。</translation>
    </message>
    <message>
        <source>“{0}” is no longer in “{1}”.</source>
        <translation>“{0}”已不在“{1}”中。</translation>
    </message>
    <message>
        <source>“{0}” is not a reranking model.</source>
        <translation>“{0}”不是重排模型。</translation>
    </message>
    <message>
        <source>“{0}” is not a bundle in the form {1}.</source>
        <translation>“{0}”不是 {1} 格式的归档包。</translation>
    </message>
    <message>
        <source>“{0}” is not a date.</source>
        <translation>“{0}”不是日期。</translation>
    </message>
    <message>
        <source>“{0}” is not a file.</source>
        <translation>“{0}”不是文件。</translation>
    </message>
    <message>
        <source>“{0}” is not a note.</source>
        <translation>“{0}”不是笔记。</translation>
    </message>
    <message>
        <source>“{0}” is not a text.</source>
        <translation>“{0}”不是文本。</translation>
    </message>
    <message>
        <source>“{0}” is not a web address.</source>
        <translation>“{0}”不是网址。</translation>
    </message>
    <message>
        <source>“{0}” is not an SQLite database, or is damaged.</source>
        <translation>“{0}”不是 SQLite 数据库，或已损坏。</translation>
    </message>
    <message>
        <source>“{0}” is not in it.</source>
        <translation>其中没有“{0}”。</translation>
    </message>
    <message>
        <source>“{0}” is not the name of a host.</source>
        <translation>“{0}”不是主机名。</translation>
    </message>
    <message>
        <source>“{0}” is not the name of a model.</source>
        <translation>“{0}”不是模型名称。</translation>
    </message>
    <message>
        <source>“{0}” already exists.</source>
        <translation>“{0}”已存在。</translation>
    </message>
    <message>
        <source>“{0}” is too large</source>
        <translation>“{0}”太大</translation>
    </message>
    <message>
        <source>“{0}” is too large for a file of questions.</source>
        <translation>“{0}”过大，不像是问题文件。</translation>
    </message>
    <message>
        <source>“{0}” is too large for a session.</source>
        <translation>“{0}”过大，不像是一个会话。</translation>
    </message>
    <message>
        <source>“{0}” is in the bin, so nothing in it is searched.</source>
        <translation>“{0}”在回收站中，所以不会搜索其中的内容。</translation>
    </message>
    <message>
        <source>“{0}” makes no plans; the question was answered directly.</source>
        <translation>“{0}”不列计划；已直接回答问题。</translation>
    </message>
    <message>
        <source>“{0}” must be a text; it was ignored.</source>
        <translation>“{0}”必须是文本，已忽略。</translation>
    </message>
    <message>
        <source>“{0}” must be keys and values; it was ignored.</source>
        <translation>“{0}”必须是键和值，已忽略。</translation>
    </message>
    <message>
        <source>“{0}” redirects to “{1}”, which was not asked: offline mode is on.</source>
        <translation>“{0}”跳转到“{1}”，未询问后者：断网模式已开启。</translation>
    </message>
    <message>
        <source>“{0}” refused: {1}</source>
        <translation>“{0}”拒绝了：{1}</translation>
    </message>
    <message>
        <source>“{0}” was not called: it needs your consent, and there was no way to ask.</source>
        <translation>未调用“{0}”：需要你的同意，但当时无法询问你。</translation>
    </message>
    <message>
        <source>“{0}” was not read: {1}</source>
        <translation>“{0}”没有读取：{1}</translation>
    </message>
    <message>
        <source>“{0}” was not searched for. {1}</source>
        <translation>没有搜索“{0}”。{1}</translation>
    </message>
    <message>
        <source>“{name}” is allowed.</source>
        <translation>“{name}”已允许。</translation>
    </message>
    <message>
        <source>“{name}” is no longer allowed.</source>
        <translation>“{name}”不再允许。</translation>
    </message>
    <message>
        <source>“{name}” was removed.</source>
        <translation>已移除“{name}”。</translation>
    </message>
    <message>
        <source>“{name}”: {read}.</source>
        <translation>“{name}”：{read}。</translation>
    </message>
    <message>
        <source>“{name}”: {words}</source>
        <translation>“{name}”：{words}</translation>
    </message>
    <message>
        <source>“{question}”: {hits} hits on the map, {cited} cited</source>
        <translation>“{question}”：地图上有 {hits} 条命中，引用了 {cited} 条</translation>
    </message>
    <message>
        <source>“{question}”: {hits} hits on the map, {cited} cited, {lost} not on the map</source>
        <translation>“{question}”：地图上有 {hits} 条命中，引用了 {cited} 条，另有 {lost} 条不在地图上</translation>
    </message>
    <message>
        <source>A note that does not come up again is deleted after this time. Answers use only notes from the last 30 days.</source>
        <translation>没有再次提到的记忆会在这段时间后删除。回答只使用最近 30 天的记忆。</translation>
    </message>
    <message>
        <source>A plug-in that needs more memory than this is stopped.</source>
        <translation>所需内存超过此值的插件会被停止。</translation>
    </message>
    <message>
        <source>A server on another computer is an exception to offline mode. Passages and questions are sent to it.</source>
        <translation>其他机器的地址是断网模式的例外：段落和问题会发送到那里。</translation>
    </message>
    <message>
        <source>API format</source>
        <translation>接口格式</translation>
    </message>
    <message>
        <source>API key</source>
        <translation>API 密钥</translation>
    </message>
    <message>
        <source>API key of the reranking server</source>
        <translation>重排服务器的 API 密钥</translation>
    </message>
    <message>
        <source>API key of the web search</source>
        <translation>网络搜索的 API 密钥</translation>
    </message>
    <message>
        <source>API key variable</source>
        <translation>密钥环境变量</translation>
    </message>
    <message>
        <source>API of the reranking server</source>
        <translation>重排服务器的接口</translation>
    </message>
    <message>
        <source>API of the web search server</source>
        <translation>网络搜索服务器的接口</translation>
    </message>
    <message>
        <source>Above 0, passages that repeat a better one move down</source>
        <translation>大于 0 时，与更好段落内容重复的段落会排到后面</translation>
    </message>
    <message>
        <source>Add a model…</source>
        <translation>添加模型…</translation>
    </message>
    <message>
        <source>Add documents to see their passages on the map.</source>
        <translation>添加文档后，其段落会显示在地图上。</translation>
    </message>
    <message>
        <source>Add query results</source>
        <translation>添加查询结果</translation>
    </message>
    <message>
        <source>Add to knowledge base</source>
        <translation>添加到知识库</translation>
    </message>
    <message>
        <source>An answer, a reading or an evaluation is running. Partial answers and readings are kept.</source>
        <translation>有回答、通读或评测正在运行。已有的部分回答和通读结果会保留。</translation>
    </message>
    <message>
        <source>Nothing that needs the network is set up.</source>
        <translation>没有设置任何需要联网的内容。</translation>
    </message>
    <message>
        <source>Nothing to add.</source>
        <translation>其中没有可添加的内容。</translation>
    </message>
    <message>
        <source>Number of hits</source>
        <translation>命中数量</translation>
    </message>
    <message>
        <source>Number of sentences that each passage repeats from the previous one.</source>
        <translation>每个段落重复前一个段落的句子数。</translation>
    </message>
    <message>
        <source>OCR engine</source>
        <translation>OCR 引擎</translation>
    </message>
    <message>
        <source>Of {n:,} question, B is better on {better:,} and worse on {worse:,}.</source>
        <comment>Of {n:,} questions, B is better on {better:,} and worse on {worse:,}.</comment>
        <translation>{n:,} 个问题中，B 比 A 好的有 {better:,} 个，差的有 {worse:,} 个。</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在本机核对</translation>
    </message>
    <message>
        <source>On this computer and by the model</source>
        <translation>在本机并由模型核对</translation>
    </message>
    <message>
        <source>One key per line. Values are text, numbers, dates such as 2025-06-01, or several of these separated by “;”.</source>
        <translation>每行一个键。值可以是文本、数字、2025-06-01 这样的日期，或用“;”分隔的多个值。</translation>
    </message>
    <message>
        <source>Only changed settings</source>
        <translation>仅显示已更改的设置</translation>
    </message>
    <message>
        <source>Only if data leaves or changes</source>
        <translation>仅当数据外发或被修改时</translation>
    </message>
    <message>
        <source>Only keyword search is available</source>
        <translation>目前只能按关键词搜索</translation>
    </message>
    <message>
        <source>Only the current knowledge base</source>
        <translation>仅当前知识库</translation>
    </message>
    <message>
        <source>PDF, Office, e-mail, images and more. Folders work, too.</source>
        <translation>支持 PDF、Office、电子邮件、图片等，也可以拖入文件夹。</translation>
    </message>
    <message>
        <source>Parallel requests for “Read everything”</source>
        <translation>“通读全部”的并行请求数</translation>
    </message>
    <message>
        <source>Part of the context reserved for the answer.</source>
        <translation>上下文中为回答保留的部分。</translation>
    </message>
    <message>
        <source>Partly read</source>
        <translation>仅读取了一部分</translation>
    </message>
    <message>
        <source>Passages keep the order of the search.</source>
        <translation>段落保持搜索时的顺序。</translation>
    </message>
    <message>
        <source>Passages with the question&apos;s words close together move up. Nothing leaves this computer.</source>
        <translation>问题中的词彼此靠近的段落排名会上升。任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>Passages you edited: {edits}</source>
        <translation>你修改过的段落：{edits}</translation>
    </message>
    <message>
        <source>Password or API key of the vector store</source>
        <translation>向量库的密码或 API 密钥</translation>
    </message>
    <message>
        <source>Password required</source>
        <translation>需要密码</translation>
    </message>
    <message>
        <source>Pause all imports</source>
        <translation>暂停所有导入</translation>
    </message>
    <message>
        <source>Permanently delete {n:,} document? The library&apos;s copies of the files are deleted, too.</source>
        <comment>Permanently delete {n:,} documents? The library&apos;s copies of the files are deleted, too.</comment>
        <translation>彻底删除 {n:,} 个文档？文档库中的文件副本也会删除。</translation>
    </message>
    <message>
        <source>Permanently delete {n:,} request from the list? This does not undo what was sent.</source>
        <comment>Permanently delete {n:,} requests from the list? This does not undo what was sent.</comment>
        <translation>要从记录中删除 {n:,} 条请求吗？已发出的无法收回，只是这些记录会永久消失。</translation>
    </message>
    <message>
        <source>Place name server</source>
        <translation>地名服务器</translation>
    </message>
    <message>
        <source>Prefer documents named in the question</source>
        <translation>优先使用问题中提到的文档</translation>
    </message>
    <message>
        <source>Programs and services that provide tools to agents through the Model Context Protocol (MCP). A program can do anything on this computer that you can, so it starts only after you allow its exact command.</source>
        <translation>通过模型上下文协议（MCP）为智能体提供工具的程序和服务。程序在本机上能做你能做的一切，因此只有在你允许其确切的命令后才会启动。</translation>
    </message>
    <message>
        <source>Progress of the map</source>
        <translation>地图绘制进度</translation>
    </message>
    <message>
        <source>Progress of the move</source>
        <translation>迁移进度</translation>
    </message>
    <message>
        <source>Purpose</source>
        <translation>用途</translation>
    </message>
    <message>
        <source>default reranking</source>
        <translation>默认重排</translation>
    </message>
    <message>
        <source>keywords only</source>
        <translation>仅关键词</translation>
    </message>
    <message>
        <source>meaning and keywords</source>
        <translation>语义和关键词</translation>
    </message>
    <message>
        <source>meaning only</source>
        <translation>仅语义</translation>
    </message>
    <message>
        <source>minimum relevance {n:.2f}</source>
        <translation>最低相关度 {n:.2f}</translation>
    </message>
    <message>
        <source>no reranking</source>
        <translation>不重排</translation>
    </message>
    <message>
        <source>weight of meaning {n:.2f}</source>
        <translation>语义权重 {n:.2f}</translation>
    </message>
    <message>
        <source>Add web pages</source>
        <translation>添加网页</translation>
    </message>
    <message>
        <source>Address of an Open-Meteo server for forecasts.</source>
        <translation>提供天气预报的 Open-Meteo 服务器地址。</translation>
    </message>
    <message>
        <source>Address of the Open-Meteo server that finds places for forecasts.</source>
        <translation>为天气预报查找地点的 Open-Meteo 服务器地址。</translation>
    </message>
    <message>
        <source>Address of the server, such as postgresql://name@localhost/database or http://localhost:6333. Leave empty to keep the files in the library. Vectors of passages and questions are sent to it.</source>
        <translation>服务器地址，例如 postgresql://name@localhost/database 或 http://localhost:6333。留空则文件保存在文档库中。段落和问题的向量会发送给它。</translation>
    </message>
    <message>
        <source>Address of the server. Questions and passages are sent to it.</source>
        <translation>服务器地址。问题和段落会发送给它。</translation>
    </message>
    <message>
        <source>Address: {address}</source>
        <translation>地址：{address}</translation>
    </message>
    <message>
        <source>Address: {address} (receives the value of {variable})</source>
        <translation>地址：{address}（会收到 {variable} 的值）</translation>
    </message>
    <message>
        <source>After each answer, the model writes up to three short notes, which are used for later questions. Notes are stored in this library, but a search does not find them. Answers without a model leave no notes.</source>
        <translation>每次回答后，模型最多写三条简短记忆，供以后的问题使用。记忆保存在此文档库中，但搜索不会找到它们。不使用模型的回答不会留下记忆。</translation>
    </message>
    <message>
        <source>After this many tool calls, the model must answer.</source>
        <translation>达到此工具调用次数后，模型必须作答。</translation>
    </message>
    <message>
        <source>An answer that takes longer than this is stopped.</source>
        <translation>超过此时间的回答会被停止。</translation>
    </message>
    <message>
        <source>Move the library</source>
        <translation>迁移此文档库</translation>
    </message>
    <message>
        <source>Move to bin</source>
        <translation>移到回收站</translation>
    </message>
    <message>
        <source>Moving to a server on another computer makes an exception to offline mode for this server.</source>
        <translation>迁移到其他计算机上的服务器，会使断网模式对此服务器例外。</translation>
    </message>
    <message>
        <source>Moving to {store}: connecting…</source>
        <translation>正在迁移到 {store}：正在连接…</translation>
    </message>
    <message>
        <source>Moving to {store}: {done:,} of {n:,} vector.</source>
        <comment>Moving to {store}: {done:,} of {n:,} vectors.</comment>
        <translation>正在迁移到 {store}：{done:,}/{n:,} 个向量。</translation>
    </message>
    <message>
        <source>Must match the server.</source>
        <translation>必须与服务器一致。</translation>
    </message>
    <message>
        <source>Name, such as “Work”:</source>
        <translation>名称，例如“工作”：</translation>
    </message>
    <message>
        <source>Native tool calling</source>
        <translation>原生工具调用</translation>
    </message>
    <message>
        <source>Needs an API key. Questions and the passages found for them are sent to OpenAI.</source>
        <translation>需要 API 密钥。问题和为其找到的段落会发送给 OpenAI。</translation>
    </message>
    <message>
        <source>New passages are being added.</source>
        <translation>正在添加新段落。</translation>
    </message>
    <message>
        <source>New tags, separated by commas</source>
        <translation>新标签，用逗号分隔</translation>
    </message>
    <message>
        <source>No backups yet. The program makes one every week, and before repairs and updates of the database.</source>
        <translation>还没有备份。程序每周自动备份一次，并在修复和更新数据库之前备份。</translation>
    </message>
    <message>
        <source>No changes</source>
        <translation>没有变化</translation>
    </message>
    <message>
        <source>No evaluations yet</source>
        <translation>还没有评测</translation>
    </message>
    <message>
        <source>No extension</source>
        <translation>无扩展名</translation>
    </message>
    <message>
        <source>No linked folders</source>
        <translation>没有关联的文件夹</translation>
    </message>
    <message>
        <source>No map yet</source>
        <translation>还没有地图</translation>
    </message>
    <message>
        <source>No matching documents.</source>
        <translation>没有匹配的文档。</translation>
    </message>
    <message>
        <source>No matching requests.</source>
        <translation>没有匹配的请求。</translation>
    </message>
    <message>
        <source>No new files</source>
        <translation>没有新文件</translation>
    </message>
    <message>
        <source>No notes could be made from the last answer. {problem}</source>
        <translation>无法根据上一个回答生成记忆。{problem}</translation>
    </message>
    <message>
        <source>No notes yet</source>
        <translation>还没有记忆</translation>
    </message>
    <message>
        <source>No problems found</source>
        <translation>未发现问题</translation>
    </message>
    <message>
        <source>No problems found.</source>
        <translation>未发现问题。</translation>
    </message>
    <message>
        <source>No running server found ({names}).</source>
        <translation>未找到正在运行的服务器（{names}）。</translation>
    </message>
    <message>
        <source>No sessions found for “{words}”.</source>
        <translation>没有找到与“{words}”有关的会话。</translation>
    </message>
    <message>
        <source>All content was read.</source>
        <translation>所有内容均已读取。</translation>
    </message>
    <message>
        <source>All sessions are archived.</source>
        <translation>所有会话都已归档。</translation>
    </message>
    <message>
        <source>Allow local network addresses</source>
        <translation>允许本地网络地址</translation>
    </message>
    <message>
        <source>Allow these services</source>
        <translation>允许这些服务</translation>
    </message>
    <message>
        <source>Allowed to leave: {ways}, and whatever you ask for.</source>
        <translation>允许发出：{ways}，以及你要求的内容。</translation>
    </message>
    <message>
        <source>Allowed to leave: {ways}. Nothing else.</source>
        <translation>允许发出：{ways}。其他一律不允许。</translation>
    </message>
    <message>
        <source>Allowing it makes an exception to offline mode for this address only.</source>
        <translation>允许后，断网模式仅对此地址例外。</translation>
    </message>
    <message>
        <source>Already set up as “{profile}”. Models: {models}</source>
        <translation>已设置为“{profile}”。模型：{models}</translation>
    </message>
    <message>
        <source>Also search for each part of a question with several parts</source>
        <translation>问题包含多个部分时，也分别搜索每个部分</translation>
    </message>
    <message>
        <source>Combined</source>
        <translation>合并</translation>
    </message>
    <message>
        <source>Command: {command}</source>
        <translation>命令：{command}</translation>
    </message>
    <message>
        <source>Compare with current</source>
        <translation>与当前的比较</translation>
    </message>
    <message>
        <source>Compares each sentence of an answer with the passages it cites. “text” compares numbers, names, words and meaning on this computer; “model” also asks the model, which takes a second request.</source>
        <translation>将回答的每个句子与其引用的段落进行核对。“text”在本机比较数字、名称、词语和语义；“model”还会询问模型，需要第二次请求。</translation>
    </message>
    <message>
        <source>Compares each word of the question with each word of the best passages. Nothing leaves this computer.</source>
        <translation>把问题中的每个词与排名靠前的段落中的每个词比较。任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>Connections use the system&apos;s proxy settings.</source>
        <translation>连接使用系统的代理设置。</translation>
    </message>
    <message>
        <source>Continue the move</source>
        <translation>继续迁移</translation>
    </message>
    <message>
        <source>Copy instead of moving</source>
        <translation>复制而不移动</translation>
    </message>
    <message>
        <source>Install Chromium or Google Chrome, or add the page without “Run scripts on the page”.</source>
        <translation>请安装 Chromium 或 Google Chrome，或在添加网页时不勾选“运行页面脚本”。</translation>
    </message>
    <message>
        <source>It may be made by scripts: add it again with “Run scripts on the page”.</source>
        <translation>它可能由脚本生成：请勾选“运行页面脚本”后重新添加。</translation>
    </message>
    <message>
        <source>Opening the vector store…</source>
        <translation>正在打开向量库…</translation>
    </message>
    <message>
        <source>Put a backup in its place: “workbench backup restore {0}”, or “Restore…” in the window.</source>
        <translation>请用备份替换它：“workbench backup restore {0}”，或窗口中的“恢复…”。</translation>
    </message>
    <message>
        <source>Set “Allow local network addresses” in the settings to “Yes” if you want such pages.</source>
        <translation>如果需要此类网页，请在设置中将“允许本地网络地址”设为“是”。</translation>
    </message>
    <message>
        <source>Set “Tools” to “As text (for models without tool calling)” if its answers find nothing.</source>
        <translation>如果它的回答找不到内容，请将“工具”设为“以文本方式（适用于不支持工具调用的模型）”。</translation>
    </message>
    <message>
        <source>There is no web search server: the user has to name one under “Web search server” in the settings.</source>
        <translation>没有网络搜索服务器：用户需要在设置的“网络搜索服务器”中指定一个。</translation>
    </message>
    <message>
        <source>You allowed this host once.</source>
        <translation>你已允许该主机一次。</translation>
    </message>
    <message>
        <source>You chose to answer the question without a plan.</source>
        <translation>你选择了不用计划回答此问题。</translation>
    </message>
    <message>
        <source>Your user name does not have permission to do this in the shared knowledge base.</source>
        <translation>你的用户名在此共享知识库中没有执行此操作的权限。</translation>
    </message>
    <message>
        <source>a folder with everything in it</source>
        <translation>文件夹及其中的全部内容</translation>
    </message>
    <message>
        <source>a result has no index or no score</source>
        <translation>有一条结果没有序号或得分</translation>
    </message>
    <message>
        <source>a sample of passages read just now</source>
        <translation>刚刚试读的段落样本</translation>
    </message>
    <message>
        <source>a tag that you added</source>
        <translation>你添加的标签</translation>
    </message>
    <message>
        <source>a tag that you added to a passage</source>
        <translation>你给段落添加的标签</translation>
    </message>
    <message>
        <source>a vector has no index</source>
        <translation>有一个向量没有序号</translation>
    </message>
    <message>
        <source>all words of your question are in it, but other passages are shorter or contain them more often</source>
        <translation>问题中的词它都有，但其他段落篇幅更短，或这些词出现得更多</translation>
    </message>
    <message>
        <source>all words of your question are in it, but other passages are shorter or contain them more often ({0} by words)</source>
        <translation>问题中的词它都有，但其他段落篇幅更短，或这些词出现得更多（按词语排第 {0}）</translation>
    </message>
    <message>
        <source>an audio or video file</source>
        <translation>音频或视频文件</translation>
    </message>
    <message>
        <source>at most {0:d} characters of a cell&apos;s output are read</source>
        <translation>每个单元格的输出最多读取 {0} 个字符</translation>
    </message>
    <message>
        <source>audio and video</source>
        <translation>音频和视频</translation>
    </message>
    <message>
        <source>closest passages, which may not answer the question</source>
        <translation>最接近的段落，可能没有回答问题</translation>
    </message>
    <message>
        <source>default user</source>
        <translation>默认用户</translation>
    </message>
    <message>
        <source>it contains no list of vectors</source>
        <translation>其中没有向量列表</translation>
    </message>
    <message>
        <source>it contains {0} vectors for {1} texts</source>
        <translation>{1} 个文本却有 {0} 个向量</translation>
    </message>
    <message>
        <source>it has more than can be read from one message; save those that you need and add them separately</source>
        <translation>超出了一封邮件可读取的数量；请保存所需的部分并单独添加</translation>
    </message>
    <message>
        <source>nothing else was closer</source>
        <translation>没有更接近的段落</translation>
    </message>
    <message>
        <source>pages with only headers and footers</source>
        <translation>只有页眉和页脚的页面</translation>
    </message>
    <message>
        <source>pages without text of their own; save it and add it separately to have them read</source>
        <translation>本身没有文字的页；请保存后单独添加，以便读取</translation>
    </message>
    <message>
        <source>requests from tools</source>
        <translation>工具的请求</translation>
    </message>
    <message>
        <source>returned {0:d} values of type {1}, which contain no text</source>
        <translation>返回了 {0} 个类型为 {1} 的值，其中没有文字</translation>
    </message>
    <message>
        <source>the content included by these directives: {0}</source>
        <translation>这些指令引入的内容：{0}</translation>
    </message>
    <message>
        <source>the content of documents changed</source>
        <translation>文档内容有改动</translation>
    </message>
    <message>
        <source>the document&apos;s author</source>
        <translation>文档的作者</translation>
    </message>
    <message>
        <source>the embedding model changed</source>
        <translation>嵌入模型有改动</translation>
    </message>
    <message>
        <source>the figures of 1 chart of more than {0:d} points; add the table that it was made from</source>
        <translation>1 个超过 {0} 个数据点的图表的数值；请添加制作图表所用的表格</translation>
    </message>
    <message>
        <source>the figures of {0:d} charts of more than {1:d} points each; add the tables that they were made from</source>
        <translation>{0} 个各超过 {1} 个数据点的图表的数值；请添加制作图表所用的表格</translation>
    </message>
    <message>
        <source>the message does not contain it</source>
        <translation>邮件中不含它</translation>
    </message>
    <message>
        <source>the reranker ranked it {0}</source>
        <translation>重排器把它排在第 {0}</translation>
    </message>
    <message>
        <source>the search settings changed</source>
        <translation>搜索设置有改动</translation>
    </message>
    <message>
        <source>two vectors have the same index</source>
        <translation>两个向量的序号相同</translation>
    </message>
    <message>
        <source>when it was added to the library</source>
        <translation>加入文档库的时间</translation>
    </message>
    <message>
        <source>when it was last changed</source>
        <translation>最后修改时间</translation>
    </message>
    <message>
        <source>{0} None of it is sent.</source>
        <translation>{0}其内容均不会发送。</translation>
    </message>
    <message>
        <source>{0} cannot be “{1}”: write an existing date as YYYY-MM-DD.</source>
        <translation>{0} 不能是“{1}”：请按 YYYY-MM-DD 写一个存在的日期。</translation>
    </message>
    <message>
        <source>{0} does not support {1}; {2} is used instead.</source>
        <translation>{0} 不支持 {1}，改用 {2}。</translation>
    </message>
    <message>
        <source>{0} has no retriever that can be used.</source>
        <translation>{0} 中没有可以使用的检索器。</translation>
    </message>
    <message>
        <source>{0} is not a library of this program, or its header is damaged.</source>
        <translation>{0} 不是本程序的文档库，或其文件头已损坏。</translation>
    </message>
    <message>
        <source>{0} is still busy with earlier calls that were stopped.</source>
        <translation>{0} 仍在处理先前已停止的调用。</translation>
    </message>
    <message>
        <source>{0} left out: reading took too long or crashed.</source>
        <translation>{0}被略过：读取时间过长或读取程序崩溃。</translation>
    </message>
    <message>
        <source>{0} now returns vectors of {1} dimensions, not {2} as before.</source>
        <translation>{0} 现在返回 {1} 维的向量，而不是以前的 {2} 维。</translation>
    </message>
    <message>
        <source>{0} of memory is little: a file that needs too much of it is skipped, with the reason shown, and the others are read.</source>
        <translation>内存只有 {0}，偏少：占用内存过多的文件会被跳过并显示原因，其余文件照常读取。</translation>
    </message>
    <message>
        <source>{0} offers no reranking at {1}.</source>
        <translation>{0} 在 {1} 处不提供重排。</translation>
    </message>
    <message>
        <source>{0} runs at {1}: every passage is sent there.</source>
        <translation>{0} 在 {1} 上运行：每个段落都会发送到那里。</translation>
    </message>
    <message>
        <source>{0} runs on this computer.</source>
        <translation>{0} 在本机运行。</translation>
    </message>
    <message>
        <source>{0} was asked for {1} dimensions but returned {2}.</source>
        <translation>向 {0} 请求 {1} 维的向量，它返回的却是 {2} 维。</translation>
    </message>
    <message>
        <source>{0}: {1} altered or missing, such as “{2}”.</source>
        <translation>{0}：有 {1} 项与写入时不同或缺失，例如“{2}”。</translation>
    </message>
    <message>
        <source>{0}: {1} altered or missing.</source>
        <translation>{0}：有 {1} 项与写入时不同或缺失。</translation>
    </message>
    <message>
        <source>{found}, below the minimum relevance: not used for the answer</source>
        <translation>{found}，低于最低相关度，未用于回答</translation>
    </message>
    <message>
        <source>{n:,} document is still locked. Try another password.</source>
        <comment>{n:,} documents are still locked. Try another password.</comment>
        <translation>仍有 {n:,} 个文档未解锁。请尝试其他密码。</translation>
    </message>
    <message>
        <source>{n:,} document permanently deleted</source>
        <comment>{n:,} documents permanently deleted</comment>
        <translation>已彻底删除 {n:,} 个文档</translation>
    </message>
    <message>
        <source>{n:,} document restored</source>
        <comment>{n:,} documents restored</comment>
        <translation>已恢复 {n:,} 个文档</translation>
    </message>
    <message>
        <source>{n:,} document uses earlier settings. Re-index to apply your changes.</source>
        <comment>{n:,} documents use earlier settings. Re-index to apply your changes.</comment>
        <translation>{n:,} 个文档仍使用之前的设置。重新索引后更改才会生效。</translation>
    </message>
    <message>
        <source>{n:,} duplicate</source>
        <comment>{n:,} duplicates</comment>
        <translation>{n:,} 个重复文件</translation>
    </message>
    <message>
        <source>{n:,} file belongs to a document that this backup does not contain. “Repair…” adds it again.</source>
        <comment>{n:,} files belong to documents that this backup does not contain. “Repair…” adds them again.</comment>
        <translation>有 {n:,} 个文件所属的文档不在此备份中；“修复…”会重新添加它们。</translation>
    </message>
    <message>
        <source>{n:,} file can be added</source>
        <comment>{n:,} files can be added</comment>
        <translation>可添加 {n:,} 个文件</translation>
    </message>
    <message>
        <source>{n:,} missing</source>
        <translation>缺失 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} more was not added to the question</source>
        <comment>{n:,} more were not added to the question</comment>
        <translation>另有 {n:,} 个未加入问题</translation>
    </message>
    <message>
        <source>{n:,} note deleted.</source>
        <comment>{n:,} notes deleted.</comment>
        <translation>已删除 {n:,} 条记忆。</translation>
    </message>
    <message>
        <source>{n:,} of {total:,} compared with the library</source>
        <translation>已与文档库比对 {n:,}/{total:,}</translation>
    </message>
    <message>
        <source>{n:,} passage sent is no longer in the library.</source>
        <comment>{n:,} passages sent are no longer in the library.</comment>
        <translation>随之发送的 {n:,} 个段落已不在文档库中。</translation>
    </message>
    <message>
        <source>{n:,} problem found.</source>
        <comment>{n:,} problems found.</comment>
        <translation>发现 {n:,} 个问题。</translation>
    </message>
    <message>
        <source>{n:,} request stayed on this computer</source>
        <comment>{n:,} requests stayed on this computer</comment>
        <translation>{n:,} 个请求留在本机</translation>
    </message>
    <message>
        <source>{n:,} restored</source>
        <translation>恢复 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} right passage is no longer in the library.</source>
        <comment>{n:,} right passages are no longer in the library.</comment>
        <translation>{n:,} 个正确段落已不在文档库中。</translation>
    </message>
    <message>
        <source>{n:,} right passage is no longer in the library: {names}.</source>
        <comment>{n:,} right passages are no longer in the library: {names}.</comment>
        <translation>{n:,} 个正确段落已不在文档库中：{names}。</translation>
    </message>
    <message>
        <source>{n:,} running request will finish; no new ones will start.</source>
        <comment>{n:,} running requests will finish; no new ones will start.</comment>
        <translation>{n:,} 个进行中的请求会完成，不会开始新的请求。</translation>
    </message>
    <message>
        <source>{n:,} setting was reset.</source>
        <comment>{n:,} settings were reset.</comment>
        <translation>已将 {n:,} 项设置恢复默认。</translation>
    </message>
    <message>
        <source>{n:,} updated</source>
        <translation>更新 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} were not moved, such as “{name}”: {reason}</source>
        <translation>{n:,} 个未移动，例如“{name}”：{reason}</translation>
    </message>
    <message>
        <source>{n:,} were not moved: {reason}</source>
        <translation>{n:,} 个未移动：{reason}</translation>
    </message>
    <message>
        <source>{n:,} without an extension</source>
        <translation>{n:,} 个无扩展名</translation>
    </message>
    <message>
        <source>{n} server found.</source>
        <comment>{n} servers found.</comment>
        <translation>找到 {n} 个服务器。</translation>
    </message>
    <message>
        <source>{server} (running)</source>
        <translation>{server}（正在运行）</translation>
    </message>
    <message>
        <source>{size} left this computer</source>
        <translation>已有 {size} 离开本机</translation>
    </message>
    <message>
        <source>{size} received</source>
        <translation>收到 {size}</translation>
    </message>
    <message>
        <source>{store} (built in)</source>
        <translation>{store}（内置）</translation>
    </message>
    <message>
        <source>{store} is not installed. Install it with “{command}”, then restart the program.</source>
        <translation>{store} 尚未安装。请用“{command}”安装，然后重新启动程序。</translation>
    </message>
    <message>
        <source>{store} – not installed</source>
        <translation>{store}（未安装）</translation>
    </message>
    <message>
        <source>“Let the model use the internet” and a web search server on another computer are exceptions to offline mode.</source>
        <translation>“允许模型使用互联网”和位于其他计算机上的网络搜索服务器是断网模式的例外。</translation>
    </message>
    <message>
        <source>“Run” asks all golden questions and counts which passages are found.</source>
        <translation>“运行”会提出所有评测问题，并统计找到了哪些段落。</translation>
    </message>
    <message>
        <source>“auto” measures int8 and fp32 once on this computer and uses the faster one.</source>
        <translation>“auto”在本机上对 int8 和 fp32 各测一次，并使用较快的一种。</translation>
    </message>
    <message>
        <source>“auto” reads images and pages without usable text; “always” also reads images next to text; “off” reads none.</source>
        <translation>“auto”识别图片和没有可用文本的页面；“always”还识别文本旁的图片；“off”不识别。</translation>
    </message>
    <message>
        <source>“auto” uses a layout model on PDF pages whose tables were read as plain lines; about half a second per page. “off” leaves them as they are.</source>
        <translation>“auto”对表格被读成普通行的 PDF 页面使用版面模型，每页约半秒；“off”保持原样。</translation>
    </message>
    <message>
        <source>“gold” contains something that is not [document, page].</source>
        <translation>“gold”中有不是 [文档, 页] 的内容。</translation>
    </message>
    <message>
        <source>“{0}” arrived damaged</source>
        <translation>收到的“{0}”已损坏</translation>
    </message>
    <message>
        <source>“{0}” cannot be read again: its file is gone. The text read before is kept.</source>
        <translation>无法重新读取“{0}”：文件已不在。此前读取的文字会保留。</translation>
    </message>
    <message>
        <source>“{0}” closed the connection before the page was complete: {1}.</source>
        <translation>网页还没传完，“{0}”就断开了连接：{1}。</translation>
    </message>
    <message>
        <source>“{0}” contains no server name.</source>
        <translation>“{0}”中没有服务器名。</translation>
    </message>
    <message>
        <source>“{0}” contains the linked folder “{1}”, or is inside it.</source>
        <translation>“{0}”包含已关联的文件夹“{1}”，或位于其中。</translation>
    </message>
    <message>
        <source>“{0}” could not be downloaded (error {1})</source>
        <translation>无法下载“{0}”（错误 {1}）</translation>
    </message>
    <message>
        <source>“{0}” databases cannot be queried.</source>
        <translation>无法查询“{0}”数据库。</translation>
    </message>
    <message>
        <source>“{0}” does not contain this question (any more).</source>
        <translation>“{0}”中没有（或已没有）这个问题。</translation>
    </message>
    <message>
        <source>“{0}” is the library&apos;s folder, contains it, or is inside it.</source>
        <translation>“{0}”是文档库的文件夹，或包含它，或位于其中。</translation>
    </message>
    <message>
        <source>“{0}” now has the same content as “{1}”, which is already in the library.</source>
        <translation>“{0}”现在与“{1}”内容相同，后者已在文档库中。</translation>
    </message>
    <message>
        <source>“{0}” returns {1} numbers for a passage instead of one score.</source>
        <translation>“{0}”对一个段落返回 {1} 个数值，而不是一个得分。</translation>
    </message>
    <message>
        <source>“{0}” stands in no document; read as “{1}”.</source>
        <translation>“{0}”未出现在任何文档中；已理解为“{1}”。</translation>
    </message>
    <message>
        <source>“{0}” was replaced by a link while it was read.</source>
        <translation>“{0}”在读取过程中被替换成了链接。</translation>
    </message>
    <message>
        <source>“{base}” is empty. Drop files here to add them.</source>
        <translation>“{base}”中还没有内容。将文件拖放到这里即可添加。</translation>
    </message>
    <message>
        <source>“{first}” redirects to “{host}”, which offline mode blocked.</source>
        <translation>“{first}”重定向到“{host}”，已被断网模式阻止。</translation>
    </message>
    <message>
        <source>Enter the address of the server above.</source>
        <translation>请在上面填写服务器地址。</translation>
    </message>
    <message>
        <source>Enter the address of the {store} server.</source>
        <translation>请输入 {store} 服务器的地址。</translation>
    </message>
    <message>
        <source>Environment variable with the API key of the server. Leave empty to use the system keyring.</source>
        <translation>含有服务器 API 密钥的环境变量。留空则使用系统密钥环。</translation>
    </message>
    <message>
        <source>Environment variable with the key (optional)</source>
        <translation>含有密钥的环境变量（可选）</translation>
    </message>
    <message>
        <source>Environment variable with the password or API key of the server. Leave empty to use the system keyring.</source>
        <translation>含有服务器密码或 API 密钥的环境变量。留空则使用系统密钥环。</translation>
    </message>
    <message>
        <source>Everything this program sends over the network is listed here: when, where, how much, and with which passages.</source>
        <translation>本程序通过网络发出的一切都会列在这里：何时、发往哪里、多少，以及带了哪些段落。</translation>
    </message>
    <message>
        <source>Existing documents keep the old value until you re-index them.</source>
        <translation>已有文档在重新索引之前保留旧值。</translation>
    </message>
    <message>
        <source>Existing or new knowledge base</source>
        <translation>已有或新建的知识库</translation>
    </message>
    <message>
        <source>Export as CSV…</source>
        <translation>导出为 CSV…</translation>
    </message>
    <message>
        <source>Export as JSONL…</source>
        <translation>导出为 JSONL…</translation>
    </message>
    <message>
        <source>Export network activity</source>
        <translation>导出网络活动</translation>
    </message>
    <message>
        <source>Exported {requests} to {path}</source>
        <translation>已将{requests}导出到 {path}</translation>
    </message>
    <message>
        <source>Files are read on this computer and copied into the library.</source>
        <translation>文件在本机读取，并复制到文档库中。</translation>
    </message>
    <message>
        <source>Files in a linked folder are read in place, without copies. The library follows changes, and keeps deleted files in the bin for a while. ZIP archives are opened.</source>
        <translation>关联文件夹中的文件就地读取，不制作副本。文档库会跟随其中的更改，已删除的文件会在回收站中保留一段时间。ZIP 压缩包会被打开。</translation>
    </message>
    <message>
        <source>Files that will not be added</source>
        <translation>不会添加的文件</translation>
    </message>
    <message>
        <source>Filter requests</source>
        <translation>筛选请求</translation>
    </message>
    <message>
        <source>Filter with dept:hr, due&lt;2025-06 or budget&gt;=100.</source>
        <translation>可用 dept:hr、due&lt;2025-06 或 budget&gt;=100 筛选。</translation>
    </message>
    <message>
        <source>Find documents</source>
        <translation>查找文档</translation>
    </message>
    <message>
        <source>Find documents by name or title</source>
        <translation>按名称或标题查找文档</translation>
    </message>
    <message>
        <source>Find requests</source>
        <translation>查找请求</translation>
    </message>
    <message>
        <source>Find requests by host, address or note</source>
        <translation>按主机、地址或备注查找请求</translation>
    </message>
    <message>
        <source>Find servers on this computer</source>
        <translation>查找本机上的服务器</translation>
    </message>
    <message>
        <source>Findings</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>Folder or Hugging Face name of a cross-encoder, such as BAAI/bge-reranker-v2-m3.</source>
        <translation>交叉编码器的文件夹或 Hugging Face 名称，例如 BAAI/bge-reranker-v2-m3。</translation>
    </message>
    <message>
        <source>Follow symbolic links</source>
        <translation>跟随符号链接</translation>
    </message>
    <message>
        <source>Follow symbolic links ({n:,})</source>
        <translation>跟随符号链接（{n:,}）</translation>
    </message>
    <message>
        <source>For pages that are empty without scripts. Chromium or Chrome opens the page in the background. It may load content from other servers, but not from this computer or its local network.</source>
        <translation>适用于不运行脚本就是空白的页面。Chromium 或 Chrome 会在后台打开页面。它可以从其他服务器加载内容，但不能访问本机或本地网络。</translation>
    </message>
    <message>
        <source>How long a custom retriever may take for a search; fractions such as 0.5 are allowed. Later results are ignored.</source>
        <translation>自定义检索器每次搜索可用的时间，可以是 0.5 这样的小数。之后的结果会被忽略。</translation>
    </message>
    <message>
        <source>How long removed documents stay in the bin, from where you can restore them.</source>
        <translation>已移除的文档在回收站中保留的时间，期间可以恢复。</translation>
    </message>
    <message>
        <source>How many hits of each question are evaluated</source>
        <translation>每个问题评测多少条命中</translation>
    </message>
    <message>
        <source>How many passages each search passes on for the answer.</source>
        <translation>每次搜索提供给回答的段落数。</translation>
    </message>
    <message>
        <source>How many requests “Read everything” sends to the model at the same time.</source>
        <translation>“通读全部”同时向模型发送的请求数。</translation>
    </message>
    <message>
        <source>How many results the model receives.</source>
        <translation>模型收到的结果数。</translation>
    </message>
    <message>
        <source>How many tokens the model can process at once, including the answer. Passages are shortened to fit. 0 asks the server, or uses 8192 if it does not say.</source>
        <translation>模型一次能处理的 token 数，包括回答。段落会相应缩短。0 表示询问服务器；如果服务器未说明，则使用 8192。</translation>
    </message>
    <message>
        <source>How much the program logs. Choose “more” while you look into a problem. The log never contains text from documents, questions or keys.</source>
        <translation>程序记录日志的详细程度。排查问题时请选择“more”。日志绝不包含文档文本、问题或密钥。</translation>
    </message>
    <message>
        <source>How the passages found are sorted by relevance</source>
        <translation>如何按相关度对找到的段落排序</translation>
    </message>
    <message>
        <source>Hugging Face, or a mirror of it. Embedding and reranking models are downloaded from there.</source>
        <translation>Hugging Face 或其镜像。嵌入模型和重排模型从那里下载。</translation>
    </message>
    <message>
        <source>If even the best passage is below this, nothing is returned; ranks do not change</source>
        <translation>如果最好的段落也低于此值，就不返回任何段落；排名不变</translation>
    </message>
    <message>
        <source>If even the best passage is below this, nothing is returned; “None” always returns passages</source>
        <translation>如果最好的段落也低于此值，就不返回任何段落；“无”表示总是返回段落</translation>
    </message>
    <message>
        <source>In progress…</source>
        <translation>进行中…</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>正在使用</translation>
    </message>
    <message>
        <source>In use: {store}, {n:,} vector.</source>
        <comment>In use: {store}, {n:,} vectors.</comment>
        <translation>正在使用：{store}，{n:,} 个向量。</translation>
    </message>
    <message>
        <source>In use: {store}.</source>
        <translation>正在使用：{store}。</translation>
    </message>
    <message>
        <source>It is added to your question as soon as it is read.</source>
        <translation>读取完成后会加入你的问题。</translation>
    </message>
    <message>
        <source>Its traffic cannot be measured.</source>
        <translation>无法统计其流量。</translation>
    </message>
    <message>
        <source>JSON lines (*.jsonl)</source>
        <translation>JSON Lines (*.jsonl)</translation>
    </message>
    <message>
        <source>Keep documents</source>
        <translation>保留文档</translation>
    </message>
    <message>
        <source>Keep notes</source>
        <translation>记忆保留时间</translation>
    </message>
    <message>
        <source>Keep removed documents</source>
        <translation>已移除文档的保留时间</translation>
    </message>
    <message>
        <source>Key variable for the reranking server</source>
        <translation>重排服务器的密钥变量</translation>
    </message>
    <message>
        <source>Key variable for the vector store</source>
        <translation>向量库的密钥变量</translation>
    </message>
    <message>
        <source>Key variable for the web search</source>
        <translation>网络搜索的密钥变量</translation>
    </message>
    <message>
        <source>Keywords only</source>
        <translation>仅关键词</translation>
    </message>
    <message>
        <source>Knowledge base to show, add to and ask</source>
        <translation>要显示、添加和提问的知识库</translation>
    </message>
    <message>
        <source>Language of the window and of exports. Documents, questions and answers are not translated.</source>
        <translation>窗口和导出内容的语言。文档、问题和回答不会被翻译。</translation>
    </message>
    <message>
        <source>Language, appearance and text size are yours; the other settings apply to this library.</source>
        <translation>语言、外观和文字大小是你个人的设置；其他设置适用于此文档库。</translation>
    </message>
    <message>
        <source>Larger web pages and linked documents are not downloaded.</source>
        <translation>更大的网页和链接的文档不会下载。</translation>
    </message>
    <message>
        <source>Lay out all passages again, keeping their approximate positions</source>
        <translation>重新排布所有段落，大致保持原来的位置</translation>
    </message>
    <message>
        <source>Leave empty if the server has only one.</source>
        <translation>如果服务器只有一个模型，请留空。</translation>
    </message>
    <message>
        <source>Let the model use the internet</source>
        <translation>允许模型使用互联网</translation>
    </message>
    <message>
        <source>Light, dark, or the same as the system.</source>
        <translation>浅色、深色，或跟随系统。</translation>
    </message>
    <message>
        <source>Links, one per line</source>
        <translation>链接，每行一个</translation>
    </message>
    <message>
        <source>List the models on the server</source>
        <translation>列出服务器上的模型</translation>
    </message>
    <message>
        <source>Loading its tools…</source>
        <translation>正在获取工具…</translation>
    </message>
    <message>
        <source>Loading the list of models…</source>
        <translation>正在获取模型列表…</translation>
    </message>
    <message>
        <source>Loading the map…</source>
        <translation>正在加载地图…</translation>
    </message>
    <message>
        <source>Look up</source>
        <translation>查找文档</translation>
    </message>
    <message>
        <source>Make exceptions to offline mode for the services you set up</source>
        <translation>为你设置的服务设置断网模式例外</translation>
    </message>
    <message>
        <source>Mark removed</source>
        <translation>已取消标记</translation>
    </message>
    <message>
        <source>Mark {passage} as right for {question}; press again to remove the mark</source>
        <translation>将{passage}标为{question}的正确段落；再按一次取消标记</translation>
    </message>
    <message>
        <source>Mark {passage} as wrong for {question}; press again to remove the mark</source>
        <translation>将{passage}标为{question}的错误段落；再按一次取消标记</translation>
    </message>
    <message>
        <source>Maximum answer length</source>
        <translation>回答最大长度</translation>
    </message>
    <message>
        <source>Maximum number of characters from all custom retrievers in one search. The rest is ignored.</source>
        <translation>一次搜索中从所有自定义检索器读取的最大字符数，其余会被忽略。</translation>
    </message>
    <message>
        <source>Maximum number of characters read from all context files of an agent.</source>
        <translation>从智能体的所有上下文文件中读取的最大字符数。</translation>
    </message>
    <message>
        <source>Maximum number of characters read from each file in an agent&apos;s context folder.</source>
        <translation>从智能体上下文文件夹的每个文件中读取的最大字符数。</translation>
    </message>
    <message>
        <source>Maximum number of requests to the model for one answer.</source>
        <translation>一次回答向模型发送的最大请求数。</translation>
    </message>
    <message>
        <source>Maximum number of rows that a database query adds to the library.</source>
        <translation>一次数据库查询添加到文档库中的最大行数。</translation>
    </message>
    <message>
        <source>Maximum number of steps. “Rounds per answer” can lower it: each step takes two rounds, and the rest of the plan two more.</source>
        <translation>最大步骤数。“每次回答的轮数”可能会降低它：每个步骤需要两轮，计划的其余部分还需要两轮。</translation>
    </message>
    <message>
        <source>Maximum number of tokens, sent and received, for one answer. Estimated if the server does not count them.</source>
        <translation>一次回答发送和接收的最大 token 数。如果服务器不计数，则为估计值。</translation>
    </message>
    <message>
        <source>Meaning and keywords</source>
        <translation>语义和关键词</translation>
    </message>
    <message>
        <source>Meaning only</source>
        <translation>仅语义</translation>
    </message>
    <message>
        <source>Mentioned</source>
        <translation>提到次数</translation>
    </message>
    <message>
        <source>Minimum relevance</source>
        <translation>最低相关度</translation>
    </message>
    <message>
        <source>Model download server</source>
        <translation>模型下载服务器</translation>
    </message>
    <message>
        <source>Model on the reranking server</source>
        <translation>重排服务器上的模型</translation>
    </message>
    <message>
        <source>Models on the server</source>
        <translation>服务器上的模型</translation>
    </message>
    <message>
        <source>Move back</source>
        <translation>迁回</translation>
    </message>
    <message>
        <source>Move back to {store}</source>
        <translation>迁回 {store}</translation>
    </message>
    <message>
        <source>Normal</source>
        <translation>正常</translation>
    </message>
    <message>
        <source>Note deleted.</source>
        <translation>记忆已删除。</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>记忆</translation>
    </message>
    <message>
        <source>Nothing has left this computer</source>
        <translation>没有任何内容离开过本机</translation>
    </message>
    <message>
        <source>Open a library to see its golden questions.</source>
        <translation>打开文档库以查看其评测问题。</translation>
    </message>
    <message>
        <source>Open a library to see its map.</source>
        <translation>打开文档库以查看地图。</translation>
    </message>
    <message>
        <source>Any server with an OpenAI-compatible API.</source>
        <translation>任何兼容 OpenAI 接口的服务器。</translation>
    </message>
    <message>
        <source>Applied the search settings to {where}</source>
        <translation>已将搜索设置应用于{where}</translation>
    </message>
    <message>
        <source>Applies to all current and future documents in this folder. Metadata of a document itself takes precedence.</source>
        <translation>适用于此文件夹中现有和将来的所有文档。文档自身的元数据优先。</translation>
    </message>
    <message>
        <source>Applies to all knowledge bases without their own settings:</source>
        <translation>适用于没有单独设置的所有知识库：</translation>
    </message>
    <message>
        <source>As text (for models without tool calling)</source>
        <translation>以文本方式（适用于不支持工具调用的模型）</translation>
    </message>
    <message>
        <source>Ask before using tools</source>
        <translation>使用工具前询问</translation>
    </message>
    <message>
        <source>Asking all questions…</source>
        <translation>正在逐一提问…</translation>
    </message>
    <message>
        <source>Author of the document</source>
        <translation>文档的作者</translation>
    </message>
    <message>
        <source>Basic</source>
        <translation>基本</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>禁止</translation>
    </message>
    <message>
        <source>Block everything</source>
        <translation>全部阻止</translation>
    </message>
    <message>
        <source>Built in (by spelling)</source>
        <translation>内置（按拼写）</translation>
    </message>
    <message>
        <source>Built in (word by word)</source>
        <translation>内置（逐词）</translation>
    </message>
    <message>
        <source>By spelling</source>
        <translation>按拼写</translation>
    </message>
    <message>
        <source>Cancel all imports</source>
        <translation>取消所有导入</translation>
    </message>
    <message>
        <source>Changed the common search settings.</source>
        <translation>已更改通用搜索设置。</translation>
    </message>
    <message>
        <source>Checking the files…</source>
        <translation>正在检查文件…</translation>
    </message>
    <message>
        <source>Choice of models</source>
        <translation>可选模型</translation>
    </message>
    <message>
        <source>Choose a model</source>
        <translation>选择模型</translation>
    </message>
    <message>
        <source>Choose a model from the server</source>
        <translation>选择服务器上的模型</translation>
    </message>
    <message>
        <source>Could not be read</source>
        <translation>无法读取</translation>
    </message>
    <message>
        <source>Current</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>Custom</source>
        <translation>自定义</translation>
    </message>
    <message>
        <source>Custom metadata</source>
        <translation>自定义元数据</translation>
    </message>
    <message>
        <source>Delete all</source>
        <translation>全部删除</translation>
    </message>
    <message>
        <source>Delete old vectors</source>
        <translation>删除旧向量</translation>
    </message>
    <message>
        <source>Delete permanently</source>
        <translation>彻底删除</translation>
    </message>
    <message>
        <source>Delete permanently…</source>
        <translation>彻底删除…</translation>
    </message>
    <message>
        <source>Delete “{name}”</source>
        <translation>删除“{name}”</translation>
    </message>
    <message>
        <source>Deleted in</source>
        <translation>距删除</translation>
    </message>
    <message>
        <source>Destination</source>
        <translation>目标</translation>
    </message>
    <message>
        <source>Detailed</source>
        <translation>详细</translation>
    </message>
    <message>
        <source>Detect automatically</source>
        <translation>自动检测</translation>
    </message>
    <message>
        <source>Documents with unreadable pages would appear here.</source>
        <translation>含有无法读取页面的文档会显示在这里。</translation>
    </message>
    <message>
        <source>Download from {host}</source>
        <translation>从 {host} 下载</translation>
    </message>
    <message>
        <source>Download from {host} and {n:,} more server</source>
        <comment>Download from {host} and {n:,} more servers</comment>
        <translation>从 {host} 和另外 {n:,} 个服务器下载</translation>
    </message>
    <message>
        <source>Downloading a page, or running its scripts, stops after this time.</source>
        <translation>超过此时间后，停止下载页面或运行其脚本。</translation>
    </message>
    <message>
        <source>Downloading “{name}”…</source>
        <translation>正在下载“{name}”…</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Each knowledge base can have its own search settings. Changes apply from the next question on; an evaluation shows which settings find more.</source>
        <translation>每个知识库都可以有自己的搜索设置。更改从下一个问题起生效；评测会显示哪种设置能找到更多正确段落。</translation>
    </message>
    <message>
        <source>Each page is downloaded once. Its images and links are not.</source>
        <translation>每个页面只下载一次，不含其中的图片和链接。</translation>
    </message>
    <message>
        <source>Each passage becomes a point, with similar passages close together.</source>
        <translation>每个段落成为一个点，相似的段落彼此靠近。</translation>
    </message>
    <message>
        <source>Each passage becomes a point, with similar passages close together. You can keep working meanwhile.</source>
        <translation>每个段落成为一个点，相似的段落彼此靠近。期间你可以继续工作。</translation>
    </message>
    <message>
        <source>Each row becomes a record that answers can cite. The database is not changed. Passwords are stored in the system keyring, not in the library.</source>
        <translation>每一行都会成为回答可以引用的记录。数据库不会被更改。密码保存在系统密钥环中，不会存入文档库。</translation>
    </message>
    <message>
        <source>Each run is saved, so that you can compare changes.</source>
        <translation>每次运行都会保存，便于比较更改。</translation>
    </message>
    <message>
        <source>Each user has their own sessions, notes and readings</source>
        <translation>每个用户都有自己的会话、记忆和通读结果</translation>
    </message>
    <message>
        <source>Each user has their own sessions, notes, readings, golden questions and evaluations. Documents, agents, models and library settings are shared. Leave the name empty for the default user.</source>
        <translation>每个用户都有自己的会话、记忆、通读结果、评测问题和评测。文档、智能体、模型和文档库设置是共用的。名称留空表示默认用户。</translation>
    </message>
    <message>
        <source>Embedding precision</source>
        <translation>嵌入精度</translation>
    </message>
    <message>
        <source>Empty bin…</source>
        <translation>清空回收站…</translation>
    </message>
    <message>
        <source>Encyclopedia for topics</source>
        <translation>主题百科</translation>
    </message>
    <message>
        <source>Enter one link or topic per line.</source>
        <translation>每行输入一个链接或主题。</translation>
    </message>
    <message>
        <source>Enter one link per line.</source>
        <translation>每行输入一个链接。</translation>
    </message>
    <message>
        <source>Stop running tasks and continue as “{name}”?</source>
        <translation>停止正在运行的任务，并以“{name}”继续？</translation>
    </message>
    <message>
        <source>Switch user</source>
        <translation>切换用户</translation>
    </message>
    <message>
        <source>Switch user…</source>
        <translation>切换用户…</translation>
    </message>
    <message>
        <source>Questions and the passages found for them are sent to this server, but no whole documents.</source>
        <translation>问题和为其搜到的段落会发送到此服务器；不会发送整个文档。</translation>
    </message>
    <message>
        <source>1 page without text</source>
        <translation>1 页没有文本</translation>
    </message>
    <message>
        <source>1 passage is longer than the {0} tokens that the model reads at once, and harder to find. Split them again to fit.</source>
        <translation>有 1 个段落超过模型一次能读取的 {0} 个 token，较难被搜到。可以重新切分以适应模型。</translation>
    </message>
    <message>
        <source>1 passage, about {0:d} tokens, is sent to {1}.</source>
        <translation>1 个段落（约 {0} 个 token）将发送到 {1}。</translation>
    </message>
    <message>
        <source>A folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>A server on another computer becomes an exception of offline mode once you confirm what is sent there.</source>
        <translation>其他机器上的服务器，在你确认发送内容之后，才成为断网模式的例外。</translation>
    </message>
    <message>
        <source>Browse…</source>
        <translation>浏览…</translation>
    </message>
    <message>
        <source>Built in</source>
        <translation>内置</translation>
    </message>
    <message>
        <source>Check the address and the format of the server.</source>
        <translation>请检查服务器的地址和格式。</translation>
    </message>
    <message>
        <source>Check the address, the format and the name of the model.</source>
        <translation>请检查地址、格式和模型名称。</translation>
    </message>
    <message>
        <source>Choose a model…</source>
        <translation>选择模型…</translation>
    </message>
    <message>
        <source>Compare with another answer…</source>
        <translation>与另一个回答比较…</translation>
    </message>
    <message>
        <source>Confirm it in the settings, or with: workbench embedder change</source>
        <translation>请在设置中确认，或使用命令：workbench embedder change</translation>
    </message>
    <message>
        <source>Copy without citation numbers</source>
        <translation>复制（不含引用编号）</translation>
    </message>
    <message>
        <source>DashScope (Tongyi)</source>
        <translation>百炼 DashScope（通义）</translation>
    </message>
    <message>
        <source>Dimensions</source>
        <translation>维数</translation>
    </message>
    <message>
        <source>Edit question…</source>
        <translation>编辑问题…</translation>
    </message>
    <message>
        <source>Embedding</source>
        <translation>嵌入</translation>
    </message>
    <message>
        <source>Embedding was stopped.</source>
        <translation>嵌入已停止。</translation>
    </message>
    <message>
        <source>Enter the key of the embedding server in the settings.</source>
        <translation>请在设置中输入嵌入服务器的密钥。</translation>
    </message>
    <message>
        <source>Environment variable that contains the key of the embedding server. Leave empty to use the key in the system&apos;s keyring.</source>
        <translation>含有嵌入服务器密钥的环境变量。留空则使用系统密钥环中的密钥。</translation>
    </message>
    <message>
        <source>Fewer or shorter texts per request may help: add ?batch=8&amp;tokens=256 to the address.</source>
        <translation>每次请求减少文本数或缩短文本可能有用：在地址后加上 ?batch=8&amp;tokens=256。</translation>
    </message>
    <message>
        <source>Fit the page to the width, or zoom to the marked passage (0)</source>
        <translation>使页面适合宽度，或放大到标出的段落 (0)</translation>
    </message>
    <message>
        <source>Folder of the model</source>
        <translation>模型的文件夹</translation>
    </message>
    <message>
        <source>Folder or Hugging Face name of a sentence-transformers model, or a server such as openai:http://127.0.0.1:11434/v1#nomic-embed-text. Leave empty for the built-in all-MiniLM-L6-v2. A new model is applied in the background; you can keep searching meanwhile.</source>
        <translation>sentence-transformers 模型的文件夹或 Hugging Face 名称，或服务器，例如 openai:http://127.0.0.1:11434/v1#nomic-embed-text。留空则使用内置的 all-MiniLM-L6-v2。新模型在后台应用，期间可以继续搜索。</translation>
    </message>
    <message>
        <source>Hugging Face hub</source>
        <translation>Hugging Face Hub</translation>
    </message>
    <message>
        <source>Is it an embedding server?</source>
        <translation>它是嵌入服务器吗？</translation>
    </message>
    <message>
        <source>Is the embedding server busy?</source>
        <translation>嵌入服务器是否繁忙？</translation>
    </message>
    <message>
        <source>Is the embedding server running, and its address right?</source>
        <translation>嵌入服务器是否在运行，地址是否正确？</translation>
    </message>
    <message>
        <source>Is “{0}” still the same model? If you want this one, choose it again.</source>
        <translation>“{0}”还是原来的模型吗？如果要用现在这个，请重新选择它。</translation>
    </message>
    <message>
        <source>It asks to wait {0:d} s.</source>
        <translation>它要求等待 {0} 秒。</translation>
    </message>
    <message>
        <source>It costs ${0:d} per million tokens.</source>
        <translation>费用为每百万 token ${0}。</translation>
    </message>
    <message>
        <source>It runs on this computer: nothing leaves it.</source>
        <translation>它在本机运行：没有内容离开本机。</translation>
    </message>
    <message>
        <source>Its vectors do not fit those of the library. Load the earlier model, or choose another one.</source>
        <translation>它的向量与文档库中的不相容。请加载原来的模型，或另选一个。</translation>
    </message>
    <message>
        <source>Key of the embedding server</source>
        <translation>嵌入服务器的密钥</translation>
    </message>
    <message>
        <source>Key variable of the embedding server</source>
        <translation>嵌入服务器的密钥变量</translation>
    </message>
    <message>
        <source>Later, each new passage, each question, and the sentences compared for its answer are sent there, too.</source>
        <translation>以后每个新段落、每个问题，以及为回答而比较的句子也会发送到那里。</translation>
    </message>
    <message>
        <source>Leave “dimensions” out: the model “{0}” has a fixed width.</source>
        <translation>请去掉“dimensions”：模型“{0}”的维数是固定的。</translation>
    </message>
    <message>
        <source>Model from</source>
        <translation>模型来源</translation>
    </message>
    <message>
        <source>More actions for this answer</source>
        <translation>此回答的更多操作</translation>
    </message>
    <message>
        <source>Most passages are Chinese, which this model hardly understands: they are found by their words. Choose a multilingual model.</source>
        <translation>多数段落是中文，而此模型几乎不懂中文：只能按词语找到它们。请选择多语言模型。</translation>
    </message>
    <message>
        <source>Most passages are Japanese, which this model hardly understands: they are found by their words. Choose a multilingual model.</source>
        <translation>多数段落是日文，而此模型几乎不懂日文：只能按词语找到它们。请选择多语言模型。</translation>
    </message>
    <message>
        <source>Most passages are Korean, which this model hardly understands: they are found by their words. Choose a multilingual model.</source>
        <translation>多数段落是韩文，而此模型几乎不懂韩文：只能按词语找到它们。请选择多语言模型。</translation>
    </message>
    <message>
        <source>Most passages are in Cyrillic letters, which this model hardly understands: they are found by their words. Choose a multilingual model.</source>
        <translation>多数段落使用西里尔字母，而此模型几乎不懂：只能按词语找到它们。请选择多语言模型。</translation>
    </message>
    <message>
        <source>Name on the hub</source>
        <translation>Hub 上的名称</translation>
    </message>
    <message>
        <source>Not everything could be searched, so your documents may still contain an answer.</source>
        <translation>并非所有内容都能搜索，因此你的文档中仍可能有答案。</translation>
    </message>
    <message>
        <source>Not found in what was read so far</source>
        <translation>在目前已读取的内容中没有找到</translation>
    </message>
    <message>
        <source>Nothing is sent there before you confirm it. “Try it” sends only sample sentences.</source>
        <translation>在你确认之前，不会向那里发送任何内容；“试一试”只发送示例句子。</translation>
    </message>
    <message>
        <source>Nothing more is being read. Check the documents to see why.</source>
        <translation>已没有正在读取的内容。请检查文档以了解原因。</translation>
    </message>
    <message>
        <source>Passages may not be sent to {0} yet.</source>
        <translation>尚未允许把段落发送到 {0}。</translation>
    </message>
    <message>
        <source>Press Enter to explain.</source>
        <translation>按 Enter 查看解释。</translation>
    </message>
    <message>
        <source>Price per million tokens</source>
        <translation>每百万 token 的价格</translation>
    </message>
    <message>
        <source>Qianfan (Wenxin)</source>
        <translation>千帆（文心）</translation>
    </message>
    <message>
        <source>Questions of: {users}</source>
        <translation>含以下用户提问的内容：{users}</translation>
    </message>
    <message>
        <source>Quotes without a model</source>
        <translation>不用模型，直接引用</translation>
    </message>
    <message>
        <source>Quotes your documents. Needs no model. Nothing leaves this computer.</source>
        <translation>引用你的文档。不需要模型，任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>RapidOCR is built in and reads English and Chinese. Tesseract reads more languages and must be installed separately.</source>
        <translation>RapidOCR 已内置，可识别英文和中文。Tesseract 可识别更多语言，需要另行安装。</translation>
    </message>
    <message>
        <source>Re-index now</source>
        <translation>立即重新索引</translation>
    </message>
    <message>
        <source>Read it first</source>
        <translation>优先读取</translation>
    </message>
    <message>
        <source>Reading a file stops when it needs more memory than this.</source>
        <translation>读取文件所需的内存超过此值时，会停止读取。</translation>
    </message>
    <message>
        <source>Reading a file stops when it uses this much processor time without progress, such as another page read. On a busy computer, up to ten times as long may pass.</source>
        <translation>如果读取文件用掉这么多处理器时间仍无进展（例如没有读完新的一页），就停止读取。计算机繁忙时，实际时间最多可达十倍。</translation>
    </message>
    <message>
        <source>Reads and compares everything in the library: database, indexes, vectors, files, answers and settings. Nothing is changed. The check also runs automatically once a week when the program is idle.</source>
        <translation>读取并比对文档库中的所有内容：数据库、索引、向量、文件、回答和设置。不会更改任何内容。程序空闲时也会每周自动检查一次。</translation>
    </message>
    <message>
        <source>Redraw</source>
        <translation>重新绘制</translation>
    </message>
    <message>
        <source>Redrawing the map: {step}…</source>
        <translation>正在重新绘制地图：{step}…</translation>
    </message>
    <message>
        <source>Redrawing the map…</source>
        <translation>正在重新绘制地图…</translation>
    </message>
    <message>
        <source>Remember facts about me and my work</source>
        <translation>记住关于我和我的工作的信息</translation>
    </message>
    <message>
        <source>Remove all</source>
        <translation>全部移除</translation>
    </message>
    <message>
        <source>Remove the highlighting</source>
        <translation>取消突出显示</translation>
    </message>
    <message>
        <source>Removed documents are not searched. You can restore them with all their data.</source>
        <translation>已移除的文档不参与搜索。可以连同其全部数据一起恢复。</translation>
    </message>
    <message>
        <source>Repeat evaluations automatically</source>
        <translation>自动重新评测</translation>
    </message>
    <message>
        <source>Replay the steps</source>
        <translation>重放步骤</translation>
    </message>
    <message>
        <source>Reranking word by word then compares 60 passages in milliseconds instead of embedding ten for each question. Takes about 3.5 KB of disk space per passage (21 MB for 6,000). “no” deletes them.</source>
        <translation>逐词重排可在几毫秒内比较 60 个段落，而不必为每个问题嵌入十个段落。每个段落约占用 3.5 KB 磁盘空间（6,000 个段落为 21 MB）。“no”会删除词向量。</translation>
    </message>
    <message>
        <source>Reset search settings of {where}</source>
        <translation>恢复{where}的默认搜索设置</translation>
    </message>
    <message>
        <source>Reset search settings of {where} to the defaults</source>
        <translation>将{where}的搜索设置恢复默认</translation>
    </message>
    <message>
        <source>Reset the search settings of {where}</source>
        <translation>已恢复{where}的默认搜索设置</translation>
    </message>
    <message>
        <source>Reset to defaults</source>
        <translation>恢复默认</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Restore backup</source>
        <translation>恢复备份</translation>
    </message>
    <message>
        <source>Restore the backup of {time}?</source>
        <translation>恢复 {time} 的备份？</translation>
    </message>
    <message>
        <source>Restore…</source>
        <translation>恢复…</translation>
    </message>
    <message>
        <source>Restoring the backup…</source>
        <translation>正在恢复备份…</translation>
    </message>
    <message>
        <source>Resume all imports</source>
        <translation>继续所有导入</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Retry all {n:,} failed</source>
        <translation>重试全部 {n:,} 个失败的文档</translation>
    </message>
    <message>
        <source>Retry when the server is busy</source>
        <translation>服务器繁忙时重试</translation>
    </message>
    <message>
        <source>Review plans first</source>
        <translation>先审阅计划</translation>
    </message>
    <message>
        <source>Right</source>
        <comment>a passage</comment>
        <translation>正确</translation>
    </message>
    <message>
        <source>Run scripts on the page</source>
        <translation>运行页面脚本</translation>
    </message>
    <message>
        <source>Runs evaluated questions again when documents or settings have changed and the program is idle.</source>
        <translation>文档或设置更改后，程序空闲时会重新评测问题。</translation>
    </message>
    <message>
        <source>Runs on this computer. Nothing leaves it.</source>
        <translation>在本机运行：任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>SQLite file or postgresql://user:password@host/name</source>
        <translation>SQLite 文件，或 postgresql://user:password@host/name</translation>
    </message>
    <message>
        <source>Same as above</source>
        <translation>与上面的设置相同</translation>
    </message>
    <message>
        <source>Same as the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Save configuration</source>
        <translation>保存配置</translation>
    </message>
    <message>
        <source>Save in the system keyring for this library</source>
        <translation>保存到系统密钥环（用于此文档库）</translation>
    </message>
    <message>
        <source>Save key</source>
        <translation>保存密钥</translation>
    </message>
    <message>
        <source>Save or load configurations</source>
        <translation>保存或载入配置</translation>
    </message>
    <message>
        <source>Save {letter} as…</source>
        <translation>将 {letter} 另存为…</translation>
    </message>
    <message>
        <source>Saved in the system keyring, for this server only.</source>
        <translation>已保存到系统密钥环，仅用于此服务器。</translation>
    </message>
    <message>
        <source>Saving makes an exception to offline mode for this server only.</source>
        <translation>保存后，断网模式仅对此服务器例外。</translation>
    </message>
    <message>
        <source>Scanned pages, waiting for OCR</source>
        <translation>扫描页，等待 OCR</translation>
    </message>
    <message>
        <source>Scores in the search of this answer</source>
        <translation>此回答的搜索得分</translation>
    </message>
    <message>
        <source>Search by meaning, by keywords, or both</source>
        <translation>按语义、按关键词，或两者结合搜索</translation>
    </message>
    <message>
        <source>Search method</source>
        <translation>搜索方式</translation>
    </message>
    <message>
        <source>Search sessions</source>
        <translation>搜索会话</translation>
    </message>
    <message>
        <source>Search titles, descriptions and options (Ctrl+F). Enter moves to the next match.</source>
        <translation>查找标题、说明和选项 (Ctrl+F)；按 Enter 转到下一项</translation>
    </message>
    <message>
        <source>Searched 1 document</source>
        <translation>已搜索 1 个文档</translation>
    </message>
    <message>
        <source>Searched {0:d} documents</source>
        <translation>已搜索 {0} 个文档</translation>
    </message>
    <message>
        <source>Searches titles, questions and answers</source>
        <translation>在标题、问题和回答中查找</translation>
    </message>
    <message>
        <source>Searches your documents and quotes the best sentences word for word, with their sources. It needs no model and no network. Nothing leaves this computer.</source>
        <translation>在你的文档中搜索，逐字引用最合适的句子并注明出处。不需要模型，也不需要网络，任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>Searching…</source>
        <translation>正在查找…</translation>
    </message>
    <message>
        <source>Select an answer to see how each step of the search ranked its hits.</source>
        <translation>选择一个回答，即可查看搜索的每一步如何为其命中结果排名。</translation>
    </message>
    <message>
        <source>Select documents to highlight them.</source>
        <translation>选择文档以突出显示。</translation>
    </message>
    <message>
        <source>Send and use it</source>
        <translation>发送并使用</translation>
    </message>
    <message>
        <source>Separated by commas</source>
        <translation>用逗号分隔</translation>
    </message>
    <message>
        <source>Share of meaning compared with keywords, if both are searched</source>
        <translation>两者都搜索时，语义相对于关键词所占的比重</translation>
    </message>
    <message>
        <source>Share of meaning compared with keywords; “Automatic” is measured for this library</source>
        <translation>语义相对于关键词所占的比重；“自动”按本文档库测定</translation>
    </message>
    <message>
        <source>Show network activity</source>
        <translation>查看网络活动</translation>
    </message>
    <message>
        <source>Show the prompt</source>
        <translation>显示提示词</translation>
    </message>
    <message>
        <source>Show the question and its hits ({n:,} hit not on the map)</source>
        <comment>Show the question and its hits ({n:,} hits not on the map)</comment>
        <translation>显示问题和命中（{n:,} 条不在地图上）</translation>
    </message>
    <message>
        <source>Since the previous run: {changes}.</source>
        <translation>与上次运行相比：{changes}。</translation>
    </message>
    <message>
        <source>Size of all text in the window.</source>
        <translation>窗口中所有文字的大小。</translation>
    </message>
    <message>
        <source>Skipped: {parts}.</source>
        <translation>已略过：{parts}。</translation>
    </message>
    <message>
        <source>Sorts the passages found by relevance. “tokens” compares word by word with the embedding model, “letters” compares spelling and is faster. Or use your own model or server.</source>
        <translation>按相关度对找到的段落排序。“tokens”用嵌入模型逐词比较；“letters”比较拼写，速度更快。也可以使用自己的模型或服务器。</translation>
    </message>
    <message>
        <source>Source question</source>
        <translation>来源问题</translation>
    </message>
    <message>
        <source>Stored in the system keyring (optional)</source>
        <translation>保存在系统密钥环中（可选）</translation>
    </message>
    <message>
        <source>Switch off: {option}</source>
        <translation>关闭：{option}</translation>
    </message>
    <message>
        <source>Table recognition</source>
        <translation>表格识别</translation>
    </message>
    <message>
        <source>Target size of a passage in tokens of the embedding model, at most what the model can read at once (256 for the built-in one).</source>
        <translation>段落的目标大小，以嵌入模型的 token 计，最多为模型一次能读取的数量（内置模型为 256）。</translation>
    </message>
    <message>
        <source>Technical appendix</source>
        <translation>技术附录</translation>
    </message>
    <message>
        <source>Tells you when a task that took more than half a minute finishes while another window is active. Notifications never contain text from your documents.</source>
        <translation>耗时超过半分钟的任务完成时，如果你正在使用其他窗口，会通知你。通知绝不包含文档中的文本。</translation>
    </message>
    <message>
        <source>Temperature and other sampling options are set on the server.</source>
        <translation>温度等采样选项请在服务器上设置。</translation>
    </message>
    <message>
        <source>Tesseract language codes joined by “+”: eng, deu, fra, chi_sim, chi_tra, jpn ...</source>
        <translation>Tesseract 语言代码，用“+”连接：eng、deu、fra、chi_sim、chi_tra、jpn ...</translation>
    </message>
    <message>
        <source>Tesseract languages</source>
        <translation>Tesseract 语言</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Testing the connection…</source>
        <translation>正在测试连接…</translation>
    </message>
    <message>
        <source>Text from all context files</source>
        <translation>所有上下文文件的文本量</translation>
    </message>
    <message>
        <source>Text from retrievers</source>
        <translation>检索器的文本量</translation>
    </message>
    <message>
        <source>Text per context file</source>
        <translation>每个上下文文件的文本量</translation>
    </message>
    <message>
        <source>That costs about ${0:d}, at ${1:d} per million tokens.</source>
        <translation>费用约 ${0}，按每百万 token ${1} 计。</translation>
    </message>
    <message>
        <source>That costs less than a cent, at ${0:d} per million tokens.</source>
        <translation>费用不到一美分，按每百万 token ${0} 计。</translation>
    </message>
    <message>
        <source>The address of the embedding server is not a valid URL.</source>
        <translation>嵌入服务器的地址不是有效的 URL。</translation>
    </message>
    <message>
        <source>The agent that answers unless you choose another one: its instructions, sources and tools.</source>
        <translation>默认回答问题的智能体：包括其指示、来源和工具。</translation>
    </message>
    <message>
        <source>Offline mode is on without exceptions. This does not work until you allow the services you set up.</source>
        <translation>断网模式已开启且没有例外。在你允许已设置的服务之前，此功能无法使用。</translation>
    </message>
    <message>
        <source>No connection is needed: answers are quotes from your documents.</source>
        <translation>不需要连接：回答直接引用你的文档。</translation>
    </message>
    <message>
        <source>No model: nothing leaves this computer</source>
        <translation>不用模型：任何内容都不离开本机</translation>
    </message>
    <message>
        <source>Offline mode is on without exceptions. This server cannot use the network until you allow the services you set up.</source>
        <translation>断网模式已开启且没有例外。在你允许已设置的服务之前，此服务器不能使用网络。</translation>
    </message>
    <message>
        <source>Offline mode is on. You can download “{name}” once, from {hosts} only. Offline mode stays on.</source>
        <translation>断网模式已开启。可以仅从 {hosts} 下载一次“{name}”，隔离保持开启。</translation>
    </message>
    <message>
        <source>Offline mode is on. {n:,} document was not downloaded.</source>
        <comment>Offline mode is on. {n:,} documents were not downloaded.</comment>
        <translation>断网模式已开：{n:,} 个文档没有获取。</translation>
    </message>
    <message>
        <source>Offline mode stays on. “Download” contacts only the database server it names, once, for this query.</source>
        <translation>断网模式保持开启。“下载”只会为此查询联系其列出的数据库服务器一次。</translation>
    </message>
    <message>
        <source>Offline mode stays on. “Download” contacts only the servers it names, once, for these pages. Content from other servers is blocked. If this system cannot restrict a browser that runs scripts, the browser&apos;s own settings are used.</source>
        <translation>断网模式保持开启。“下载”只会为这些页面联系其列出的服务器一次，来自其他服务器的内容会被阻止。如果系统无法限制运行脚本的浏览器，则使用浏览器自身的设置。</translation>
    </message>
    <message>
        <source>Quotes from your documents, no model</source>
        <translation>引用文档原文，不用模型</translation>
    </message>
    <message>
        <source>Quotes from your documents, no model. It finds passages, but cannot answer yes or no.</source>
        <translation>引用文档原文，不用模型；只能判断找到与否，无法回答是或否。</translation>
    </message>
    <message>
        <source>Quotes only, no model</source>
        <translation>只引用原文，不用模型</translation>
    </message>
    <message>
        <source>The backup was restored.</source>
        <translation>备份已恢复。</translation>
    </message>
    <message>
        <source>The connection does not work yet.</source>
        <translation>连接尚不可用。</translation>
    </message>
    <message>
        <source>The connection works.</source>
        <translation>连接正常。</translation>
    </message>
    <message>
        <source>The current configuration, a saved one, or a custom one below</source>
        <translation>当前配置、已保存的配置，或在下方自定义</translation>
    </message>
    <message>
        <source>The current database is kept as a backup. Anything added since then is not in the restored one.</source>
        <translation>当前数据库会保留为备份。此后添加的内容不在恢复的数据库中。</translation>
    </message>
    <message>
        <source>The database is backed up first. Damaged parts are rebuilt where possible; unreadable ones are moved aside. Nothing is deleted. You cannot use the library meanwhile.</source>
        <translation>会先备份数据库。损坏的部分尽可能重建，无法读取的部分会移到隔离区，不会删除任何内容。期间无法使用此文档库。</translation>
    </message>
    <message>
        <source>The difference is significant (p &lt; 0.01).</source>
        <translation>差异显著（p &lt; 0.01）。</translation>
    </message>
    <message>
        <source>The difference is significant (p = {p:.2f}).</source>
        <translation>差异显著（p = {p:.2f}）。</translation>
    </message>
    <message>
        <source>The difference may be due to chance (p = {p:.2f}).</source>
        <translation>差异可能出于偶然（p = {p:.2f}）。</translation>
    </message>
    <message>
        <source>The difference may be due to chance. Add more questions to find out.</source>
        <translation>差异可能出于偶然。请添加更多问题以确认。</translation>
    </message>
    <message>
        <source>The library is being closed.</source>
        <translation>文档库正在关闭。</translation>
    </message>
    <message>
        <source>The library now uses {store}.</source>
        <translation>此文档库现在使用 {store}。</translation>
    </message>
    <message>
        <source>The library was repaired, but some data could not be recovered.</source>
        <translation>文档库已修复，但有些数据无法找回。</translation>
    </message>
    <message>
        <source>The library was repaired. Nothing was lost.</source>
        <translation>文档库已修复，没有丢失任何内容。</translation>
    </message>
    <message>
        <source>The map appears as soon as the first passages are embedded.</source>
        <translation>第一批段落嵌入后，地图就会显示。</translation>
    </message>
    <message>
        <source>The map needs an embedding model, which could not be loaded. Check the embedding model in the settings.</source>
        <translation>地图需要嵌入模型，但模型无法加载。请在设置中检查嵌入模型。</translation>
    </message>
    <message>
        <source>The model is loaded at the first search, and downloaded once if necessary. It takes about 0.5 GB of memory and a few seconds per search. Nothing else leaves this computer.</source>
        <translation>模型在第一次搜索时加载，必要时下载一次。约占用 0.5 GB 内存，每次搜索需要几秒。其他内容都不离开本机。</translation>
    </message>
    <message>
        <source>The model that writes answers. The built-in one works offline: it quotes your documents.</source>
        <translation>撰写回答的模型。内置模型离线工作：它引用你的文档。</translation>
    </message>
    <message>
        <source>The model writes a plan and runs it step by step</source>
        <translation>模型先列出计划，再逐步执行</translation>
    </message>
    <message>
        <source>The model&apos;s own</source>
        <translation>模型自身的维数</translation>
    </message>
    <message>
        <source>The model&apos;s search terms are sent to this server, but no documents or questions.</source>
        <translation>模型的搜索词会发送到此服务器，文档和问题不会。</translation>
    </message>
    <message>
        <source>The option “{0}” of the embedding server is not a number.</source>
        <translation>嵌入服务器的选项“{0}”不是数字。</translation>
    </message>
    <message>
        <source>The options are {0}.</source>
        <translation>可用的选项有 {0}。</translation>
    </message>
    <message>
        <source>The password is tried on every locked document. Other imports continue.</source>
        <translation>会用此密码尝试打开每个已锁定的文档。其他导入继续进行。</translation>
    </message>
    <message>
        <source>The server runs on this computer and forwards searches to the search engines set up there.</source>
        <translation>服务器在本机运行，并把搜索转发给其中设置的搜索引擎。</translation>
    </message>
    <message>
        <source>The server works. Tools: {tools}.</source>
        <translation>服务器正常。工具：{tools}。</translation>
    </message>
    <message>
        <source>The token was removed.</source>
        <translation>令牌已删除。</translation>
    </message>
    <message>
        <source>The token was saved.</source>
        <translation>令牌已保存。</translation>
    </message>
    <message>
        <source>These settings apply to this library.</source>
        <translation>这些设置适用于此文档库。</translation>
    </message>
    <message>
        <source>These settings are yours and apply in every library.</source>
        <translation>这些是你个人的设置，适用于每个文档库。</translation>
    </message>
    <message>
        <source>They are pictures: save the presentation as a PDF and add that to have them read by OCR.</source>
        <translation>它们是图片：请将演示文稿另存为 PDF 后再添加，以便用 OCR 识别。</translation>
    </message>
    <message>
        <source>They can lead to any file on this computer.</source>
        <translation>它们可能指向本机上的任意文件。</translation>
    </message>
    <message>
        <source>This library is new on this computer and needs no network.</source>
        <translation>此文档库在本机上是新的，不需要联网。</translation>
    </message>
    <message>
        <source>This library is new on this computer. It would like to send: {ways}.</source>
        <translation>此文档库在本机上是新的。它需要发送：{ways}。</translation>
    </message>
    <message>
        <source>This makes an exception to offline mode for this address only.</source>
        <translation>这会使断网模式仅对此地址例外。</translation>
    </message>
    <message>
        <source>This mark comes from a page or document. Remove the question to delete it.</source>
        <translation>此标记来自网页或文档。移除该问题即可删除。</translation>
    </message>
    <message>
        <source>This server runs on this computer. Nothing leaves it.</source>
        <translation>此服务器在本机运行：任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>This server runs on this computer: nothing leaves it.</source>
        <translation>此服务器在本机运行，任何内容都不离开本机。</translation>
    </message>
    <message>
        <source>Title (optional)</source>
        <translation>标题（可选）</translation>
    </message>
    <message>
        <source>Title of the document</source>
        <translation>文档的标题</translation>
    </message>
    <message>
        <source>To filter by the tag “law”, type tag:law in the search box.</source>
        <translation>要按标签“law”筛选，请在搜索框中输入 tag:law。</translation>
    </message>
    <message>
        <source>To other computers</source>
        <translation>发往其他计算机</translation>
    </message>
    <message>
        <source>To search the web, enter the address of a web search server above.</source>
        <translation>要搜索网页，请在上方输入网络搜索服务器的地址。</translation>
    </message>
    <message>
        <source>To search the web, first set “Let the model use the internet” to “Yes”.</source>
        <translation>要搜索网页，请先将“允许模型使用互联网”设为“是”。</translation>
    </message>
    <message>
        <source>Tokens per passage, including title and headings</source>
        <translation>每个段落的 token 数（含标题）</translation>
    </message>
    <message>
        <source>Traffic between this computer and the network</source>
        <translation>本机与网络之间的流量</translation>
    </message>
    <message>
        <source>Try again later, or look at its log.</source>
        <translation>请稍后再试，或查看它的日志。</translation>
    </message>
    <message>
        <source>Try again with more time</source>
        <translation>用更长的时间重试</translation>
    </message>
    <message>
        <source>Try it again with more time, as its menu offers, or save it as .docx, .pptx or .xlsx and add that.</source>
        <translation>请在其菜单中选择用更长的时间重试，或将其另存为 .docx、.pptx 或 .xlsx 格式后再添加。</translation>
    </message>
    <message>
        <source>Try it again with more time, as its menu offers, or save the file again.</source>
        <translation>请在其菜单中选择用更长的时间重试，或重新保存该文件。</translation>
    </message>
    <message>
        <source>Turn off</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Turn off offline mode</source>
        <translation>关闭断网模式</translation>
    </message>
    <message>
        <source>Turn off offline mode and download</source>
        <translation>关闭断网模式并下载</translation>
    </message>
    <message>
        <source>Turn on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Turn on offline mode</source>
        <translation>开启断网模式</translation>
    </message>
    <message>
        <source>Turn on offline mode without exceptions</source>
        <translation>开启断网模式，不留例外</translation>
    </message>
    <message>
        <source>Turns off animations; progress is shown as text.</source>
        <translation>关闭动画，以文字显示进度。</translation>
    </message>
    <message>
        <source>Unarchive</source>
        <translation>取消归档</translation>
    </message>
    <message>
        <source>Unarchived {named}</source>
        <translation>已取消归档{named}</translation>
    </message>
    <message>
        <source>Unlink “{name}”?</source>
        <translation>取消关联“{name}”？</translation>
    </message>
    <message>
        <source>Unlocked {n:,} document. {left}</source>
        <comment>Unlocked {n:,} documents. {left}</comment>
        <translation>已解锁 {n:,} 个文档。{left}</translation>
    </message>
    <message>
        <source>Unreadable parts were moved to “{folder}”.</source>
        <translation>无法读取的部分已移到“{folder}”。</translation>
    </message>
    <message>
        <source>Unsupported: {kinds}.</source>
        <translation>不支持：{kinds}。</translation>
    </message>
    <message>
        <source>Use for or reset a knowledge base</source>
        <translation>用于某个知识库，或恢复其默认设置</translation>
    </message>
    <message>
        <source>Use the common settings</source>
        <translation>使用通用设置</translation>
    </message>
    <message>
        <source>Use this model</source>
        <translation>使用此模型</translation>
    </message>
    <message>
        <source>Used {n:,} time</source>
        <comment>Used {n:,} times</comment>
        <translation>已使用 {n:,} 次</translation>
    </message>
    <message>
        <source>Vector store address</source>
        <translation>向量库地址</translation>
    </message>
    <message>
        <source>Vectors of passages and questions are sent to this server; texts are not.</source>
        <translation>段落和问题的向量会发送给此服务器，文本不会。</translation>
    </message>
    <message>
        <source>View options</source>
        <translation>视图选项</translation>
    </message>
    <message>
        <source>Wait until it is prepared: the status bar shows the progress.</source>
        <translation>请等待准备完成：状态栏会显示进度。</translation>
    </message>
    <message>
        <source>Weather server</source>
        <translation>天气服务器</translation>
    </message>
    <message>
        <source>Web address used to look up a topic; {topic} stands for the topic. It may be a search page that leads to the article.</source>
        <translation>用于查找主题的网址；{topic} 代表主题。可以是能跳转到条目的搜索页面。</translation>
    </message>
    <message>
        <source>Web search server</source>
        <translation>网络搜索服务器</translation>
    </message>
    <message>
        <source>What it had written is kept. Its last sentence may be unfinished.</source>
        <translation>已写的内容已保留。最后一句可能不完整。</translation>
    </message>
    <message>
        <source>What it had written is kept. Its last sentence may be unfinished; the sentences before it were checked.</source>
        <translation>已写的内容已保留。最后一句可能不完整；在它之前的句子已核对。</translation>
    </message>
    <message>
        <source>What may leave this computer. “auto” allows only the services you set up, such as a model, a tool server, web search or a reranking server. “on” allows nothing. “off” allows whatever you ask for.</source>
        <translation>哪些内容可以离开本机。“auto”只允许你设置的服务，例如模型、工具服务器、网络搜索或重排服务器；“on”全部禁止；“off”允许你要求的一切。</translation>
    </message>
    <message>
        <source>What that costs is not known; see the price list of the service.</source>
        <translation>费用未知；请查看该服务的价目表。</translation>
    </message>
    <message>
        <source>When I choose it</source>
        <translation>由我选择</translation>
    </message>
    <message>
        <source>When you are asked to approve a tool call: “network” asks if the tool sends data or changes something outside the library; “always” asks every time.</source>
        <translation>何时请你批准工具调用：“network”在工具外发数据或修改文档库以外的内容时询问；“always”每次都询问。</translation>
    </message>
    <message>
        <source>Where the vectors of your passages are stored and searched. The built-in store suits most libraries.</source>
        <translation>段落向量的存储和搜索位置。内置向量库适合大多数文档库。</translation>
    </message>
    <message>
        <source>Where vectors are stored and searched. “faiss” is built in; “lancedb”, “chroma”, “qdrant”, “milvus” and “pgvector” each need a package. “workbench store move” switches to another store; you can keep searching meanwhile.</source>
        <translation>向量的存储和搜索位置。“faiss”已内置；“lancedb”“chroma”“qdrant”“milvus”和“pgvector”各需要一个软件包。“workbench store move”可切换到其他向量库，期间可以继续搜索。</translation>
    </message>
    <message>
        <source>Whether a plan waits for your approval. You can start it, edit it or skip it.</source>
        <translation>计划是否等待你批准。你可以执行、修改或跳过计划。</translation>
    </message>
    <message>
        <source>Whether links may lead to this computer or your local network (localhost, 192.168…). Web pages could redirect there.</source>
        <translation>链接是否可以指向本机或你的本地网络（localhost、192.168…）。网页可能会重定向到那里。</translation>
    </message>
    <message>
        <source>Whether symbolic links to files are followed in folders that you add or link. They can lead anywhere on the disk. Links that you add yourself are always followed.</source>
        <translation>是否跟随你添加或关联的文件夹中指向文件的符号链接。它们可能指向磁盘上的任何位置。你自己添加的链接总会跟随。</translation>
    </message>
    <message>
        <source>Whether the model keeps short notes about you, at most three after each answer, and uses them for later questions. “Memory…” in the menu shows the notes. Quoted answers keep none.</source>
        <translation>模型是否保存关于你的简短记忆（每次回答后最多三条），并用于以后的问题。菜单中的“记忆…”可查看记忆。直接引用的回答不会保存记忆。</translation>
    </message>
    <message>
        <source>Whether the model may check the weather, read web pages and search the web. Its requests leave this computer.</source>
        <translation>模型是否可以查询天气、阅读网页和搜索网页。它的请求会离开本机。</translation>
    </message>
    <message>
        <source>Whether the model writes a plan first and then works through its steps. “asked” plans only when you choose it next to the question. A plan takes at least four requests to the model.</source>
        <translation>模型是否先写计划，再逐步执行。“asked”表示仅当你在问题旁选择时才制定计划。一个计划至少需要向模型发送四次请求。</translation>
    </message>
    <message>
        <source>Whether to retry after 15, 30 and 60 seconds if the reranking server limits requests. Otherwise the passages keep the order of the search.</source>
        <translation>重排服务器限制请求时，是否在 15、30 和 60 秒后重试。否则段落保持搜索时的顺序。</translation>
    </message>
    <message>
        <source>Within this computer</source>
        <translation>本机之内</translation>
    </message>
    <message>
        <source>Without a model, answers only quote from the documents: instructions are ignored and no tools are called.</source>
        <translation>不用模型时，回答只引用文档原文：不遵循指令，也不调用工具。</translation>
    </message>
    <message>
        <source>Without a model, no instructions are followed: of the agent “{0}”, only what it searches is used.</source>
        <translation>不用模型时不遵循指令：对于智能体“{0}”，只采用它的搜索范围。</translation>
    </message>
    <message>
        <source>Without a model, no plan is made: the answer quotes from your documents, and each part of the question is searched for separately. A model profile can plan.</source>
        <translation>不用模型时不列计划：回答只引用你的文档，并分别搜索问题的各个部分。模型配置可以列计划。</translation>
    </message>
    <message>
        <source>Without an address, the vectors are stored in files in the library.</source>
        <translation>不填地址时，向量保存在文档库内的文件中。</translation>
    </message>
    <message>
        <source>Word vectors of {n:,} passage: {size} MB on disk.</source>
        <comment>Word vectors of {n:,} passages: {size} MB on disk.</comment>
        <translation>{n:,} 个段落的词向量：占用磁盘 {size} MB。</translation>
    </message>
    <message>
        <source>Write it like openai:http://127.0.0.1:11434/v1#nomic-embed-text.</source>
        <translation>请写成 openai:http://127.0.0.1:11434/v1#nomic-embed-text 这样。</translation>
    </message>
    <message>
        <source>Write or paste text. Markdown is supported.</source>
        <translation>输入或粘贴文本，支持 Markdown。</translation>
    </message>
    <message>
        <source>Written by hand, or the answer was deleted</source>
        <translation>手动添加，或对应的回答已删除</translation>
    </message>
    <message>
        <source>Wrong</source>
        <comment>a passage</comment>
        <translation>错误</translation>
    </message>
    <message>
        <source>Wrong password. {left}</source>
        <translation>密码错误。{left}</translation>
    </message>
    <message>
        <source>You asked this instead of an earlier question. That question and its answer are still above.</source>
        <translation>你用这个问题替换了之前的一个问题。之前的问题和回答仍在上方。</translation>
    </message>
    <message>
        <source>You can keep its documents, with copies of the files in the library, or move them to the bin.</source>
        <translation>其文档可以保留（文件复制到文档库中），也可以移到回收站。</translation>
    </message>
    <message>
        <source>You can keep searching meanwhile.</source>
        <translation>期间可以继续搜索。</translation>
    </message>
    <message>
        <source>You can keep working meanwhile.</source>
        <translation>期间可以继续工作。</translation>
    </message>
    <message>
        <source>You edited this. Reading the file again does not change it.</source>
        <translation>这是你填写的；重新读取文件时不会改动。</translation>
    </message>
    <message>
        <source>Your next question continues from the answer of {time}. The other answers stay.</source>
        <translation>下一个问题将接着 {time} 的回答继续。其他回答会保留。</translation>
    </message>
    <message>
        <source>Your original files are not deleted. You can undo this.</source>
        <translation>你的原始文件不会被删除。此操作可以撤销。</translation>
    </message>
    <message>
        <source>Your own SearXNG, or https://api.search.brave.com or https://api.tavily.com with an API key. Leave empty for no web search.</source>
        <translation>你自己的 SearXNG，或使用 API 密钥的 https://api.search.brave.com 或 https://api.tavily.com。留空则不搜索网页。</translation>
    </message>
    <message>
        <source>Your own model</source>
        <translation>自己的模型</translation>
    </message>
    <message>
        <source>Your personal settings could not be saved.</source>
        <translation>无法保存你的个人设置。</translation>
    </message>
    <message>
        <source>Your questions and answers appear here.</source>
        <translation>你的问题和回答会显示在这里。</translation>
    </message>
    <message>
        <source>a number in a vector is not finite</source>
        <translation>向量中有非有限数</translation>
    </message>
    <message>
        <source>a vector holds only zeros</source>
        <translation>有一个向量全为零</translation>
    </message>
    <message>
        <source>a vector is not a list of numbers</source>
        <translation>有一个向量不是数字列表</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>约 {size}</translation>
    </message>
    <message>
        <source>anything the tool server program “{name}” sends (not recorded)</source>
        <translation>工具服务器程序“{name}”发送的任何内容（无法记录）</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>automatic, no problems found</source>
        <translation>自动备份，未发现问题</translation>
    </message>
    <message>
        <source>average of 1 divided by the rank of the first right hit</source>
        <translation>首条正确命中名次的倒数的平均值</translation>
    </message>
    <message>
        <source>before restoring another backup</source>
        <translation>恢复另一个备份之前</translation>
    </message>
    <message>
        <source>deleted in {n:,} day</source>
        <comment>deleted in {n:,} days</comment>
        <translation>{n:,} 天后删除</translation>
    </message>
    <message>
        <source>e.g. {example}</source>
        <translation>例如 {example}</translation>
    </message>
    <message>
        <source>embedding by a server</source>
        <translation>由服务器嵌入</translation>
    </message>
    <message>
        <source>how close the order of 10 hits is to the ideal order</source>
        <translation>前 10 条命中的顺序与理想顺序的接近程度</translation>
    </message>
    <message>
        <source>it lacks “{0}”</source>
        <translation>缺少“{0}”</translation>
    </message>
    <message>
        <source>its vectors differ in length</source>
        <translation>各向量的长度不同</translation>
    </message>
    <message>
        <source>key = value, e.g. dept = hr</source>
        <translation>键 = 值，例如 dept = hr</translation>
    </message>
    <message>
        <source>manual</source>
        <translation>手动</translation>
    </message>
    <message>
        <source>median search time</source>
        <translation>搜索用时的中位数</translation>
    </message>
    <message>
        <source>model limit: {n:,}</source>
        <translation>模型上限：{n:,}</translation>
    </message>
    <message>
        <source>needs re-indexing</source>
        <translation>需要重新索引</translation>
    </message>
    <message>
        <source>no longer in the library</source>
        <translation>已不在文档库中</translation>
    </message>
    <message>
        <source>no right passages marked</source>
        <translation>没有标记正确段落</translation>
    </message>
    <message>
        <source>number of hits marked as wrong among {k} hits</source>
        <translation>前 {k} 条命中里被标为错误的数量</translation>
    </message>
    <message>
        <source>occurs in {n:,} passage</source>
        <comment>occurs in {n:,} passages</comment>
        <translation>出现在 {n:,} 个段落中</translation>
    </message>
    <message>
        <source>one request a day for the newest version to {host}</source>
        <translation>每天一次向 {host} 查询最新版本</translation>
    </message>
    <message>
        <source>partly works</source>
        <translation>部分可用</translation>
    </message>
    <message>
        <source>passages and questions to be embedded to {host}</source>
        <translation>待嵌入的段落和问题发往 {host}</translation>
    </message>
    <message>
        <source>passages for reranking to {host}</source>
        <translation>待重排的段落发往 {host}</translation>
    </message>
    <message>
        <source>question {n}</source>
        <translation>问题 {n}</translation>
    </message>
    <message>
        <source>quotes only, no model</source>
        <translation>只引用原文，不用模型</translation>
    </message>
    <message>
        <source>requests to the tool server “{name}” at {host}</source>
        <translation>发往 {host} 上工具服务器“{name}”的请求</translation>
    </message>
    <message>
        <source>search terms of tools to {host}</source>
        <translation>工具的搜索词发往 {host}</translation>
    </message>
    <message>
        <source>share of questions with a right passage among {k} hits</source>
        <translation>前 {k} 条命中里有正确段落的问题所占比例</translation>
    </message>
    <message>
        <source>share of the right passages found among {k} hits</source>
        <translation>前 {k} 条命中里找到的正确段落所占比例</translation>
    </message>
    <message>
        <source>the end of 1 document</source>
        <translation>1 个文档的末尾</translation>
    </message>
    <message>
        <source>the end of {0:d} documents</source>
        <translation>{0} 个文档的末尾</translation>
    </message>
    <message>
        <source>this computer</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>unknown</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>you are “{user}”</source>
        <translation>你是“{user}”</translation>
    </message>
    <message>
        <source>{0:d} pages without text</source>
        <translation>{0} 页没有文本</translation>
    </message>
    <message>
        <source>{0:d} passages are still being prepared and can be found by their words only.</source>
        <translation>有 {0} 个段落仍在准备中，只能按字词找到。</translation>
    </message>
    <message>
        <source>{0:d} passages were found, but none fits the question well enough. They are listed as evidence.</source>
        <translation>找到 {0} 个段落，但都与问题不够契合，已列为依据。</translation>
    </message>
    <message>
        <source>{0:d} passages, about {1:d} tokens, are sent to {2}.</source>
        <translation>{0} 个段落（约 {1} 个 token）将发送到 {2}。</translation>
    </message>
    <message>
        <source>{0:d} shared libraries, which could not be reached</source>
        <translation>{0} 个无法连接的共享文档库</translation>
    </message>
    <message>
        <source>{0:d} still being prepared</source>
        <translation>{0} 个仍在准备中</translation>
    </message>
    <message>
        <source>{0} has another model under the name “{1}” now.</source>
        <translation>{0} 上名为“{1}”的已是另一个模型。</translation>
    </message>
    <message>
        <source>{0} has no embedding model “{1}” at {2}.</source>
        <translation>{0} 在 {2} 处没有嵌入模型“{1}”。</translation>
    </message>
    <message>
        <source>{0} refused the texts (error {1}).</source>
        <translation>{0} 拒绝了这些文本（错误 {1}）。</translation>
    </message>
    <message>
        <source>{0} refused the texts (error {1}): {2}</source>
        <translation>{0} 拒绝了这些文本（错误 {1}）：{2}</translation>
    </message>
    <message>
        <source>{0} took longer than {1} and was given up.</source>
        <translation>{0} 用时超过 {1}，已放弃等待。</translation>
    </message>
    <message>
        <source>{0}: an archive nested more than two deep</source>
        <translation>{0}：嵌套超过两层的压缩包</translation>
    </message>
    <message>
        <source>{added}; skipped {n:,} line, first in line {line}: {reason}</source>
        <comment>{added}; skipped {n:,} lines, first in line {line}: {reason}</comment>
        <translation>{added}；略过 {n:,} 行，其中第一处在第 {line} 行：{reason}</translation>
    </message>
    <message>
        <source>{done:,} of {n:,} passage embedded</source>
        <comment>{done:,} of {n:,} passages embedded</comment>
        <translation>已嵌入 {done:,}/{n:,} 个段落</translation>
    </message>
    <message>
        <source>{field} (edited)</source>
        <translation>{field}（已修改）</translation>
    </message>
    <message>
        <source>{n:,} copied to the shared library</source>
        <comment>{n:,} copied to the shared library</comment>
        <translation>{n:,} 个已复制到共享文档库</translation>
    </message>
    <message>
        <source>{n:,} document is found by keyword only, until the model can be used.</source>
        <comment>{n:,} documents are found by keyword only, until the model can be used.</comment>
        <translation>在模型可用之前，{n:,} 个文档只能按关键词找到。</translation>
    </message>
    <message>
        <source>{n:,} document is read first; ask again when it is done</source>
        <comment>{n:,} documents are read first; ask again when they are done</comment>
        <translation>优先读取 {n:,} 个文档；读完后请再次提问</translation>
    </message>
    <message>
        <source>{n:,} document was read into “{name}”</source>
        <comment>{n:,} documents were read into “{name}”</comment>
        <translation>已将 {n:,} 个文档读入“{name}”</translation>
    </message>
    <message>
        <source>{n:,} found by keyword only</source>
        <comment>{n:,} found by keyword only</comment>
        <translation>{n:,} 个只能按关键词找到</translation>
    </message>
    <message>
        <source>{n:,} is being read</source>
        <comment>{n:,} are being read</comment>
        <translation>正在读取 {n:,} 个</translation>
    </message>
    <message>
        <source>{n:,} passage of {low:,} to {high:,} tokens</source>
        <comment>{n:,} passages of {low:,} to {high:,} tokens</comment>
        <translation>{n:,} 个段落，{low:,} 至 {high:,} 个 token</translation>
    </message>
    <message>
        <source>{n:,} waits for a worker</source>
        <comment>{n:,} wait for a worker</comment>
        <translation>{n:,} 个等待处理进程</translation>
    </message>
    <message>
        <source>“Context length” on the page “Answers” sets another number.</source>
        <translation>“回答”页上的“上下文长度”可另行指定。</translation>
    </message>
    <message>
        <source>“Quotes only” quotes from your documents and needs no model.</source>
        <translation>“只引用原文”直接摘录你的文档，不需要模型。</translation>
    </message>
    <message>
        <source>“workbench runs list” shows all answers.</source>
        <translation>用“workbench runs list”可列出所有回答。</translation>
    </message>
    <message>
        <source>“workbench shared list” shows it.</source>
        <translation>“workbench shared list”会显示它。</translation>
    </message>
    <message>
        <source>“workbench shared list” shows them.</source>
        <translation>“workbench shared list”会显示它们。</translation>
    </message>
    <message>
        <source>“workbench shared list” shows those that you may read.</source>
        <translation>“workbench shared list”会显示你可以阅读的知识库。</translation>
    </message>
    <message>
        <source>“{0}” cannot be one of your metadata keys: the program uses it itself.</source>
        <translation>“{0}”不能用作你的元数据键：程序自己在使用它。</translation>
    </message>
    <message>
        <source>“{0}” is larger than {1} GB, the limit for files that are read in parts.</source>
        <translation>“{0}”超过 {1} GB，即分部分读取的文件的上限。</translation>
    </message>
    <message>
        <source>“{0}” is not an option of an embedding server.</source>
        <translation>“{0}”不是嵌入服务器的选项。</translation>
    </message>
    <message>
        <source>“{0}” is not an embedding server.</source>
        <translation>“{0}”不是嵌入服务器。</translation>
    </message>
    <message>
        <source>“{0}” was not used: tools that use the network are switched off. Set “Let the model use the internet” in the settings to “Yes” to allow them.</source>
        <translation>“{0}”未被使用：联网工具已关闭。如需允许，请在设置中将“允许模型使用互联网”设为“是”。</translation>
    </message>
    <message>
        <source>“{name}” has its own settings:</source>
        <translation>“{name}”有自己的设置：</translation>
    </message>
    <message>
        <source>“{name}” now has its own search settings.</source>
        <translation>“{name}”现在有自己的搜索设置。</translation>
    </message>
    <message>
        <source>“{name}” uses the common search settings again.</source>
        <translation>“{name}”恢复使用通用搜索设置。</translation>
    </message>
    <message>
        <source>“{name}” uses the common settings:</source>
        <translation>“{name}”使用通用设置：</translation>
    </message>
    <message>
        <source>“{name}” was added. Allow it if you trust it.</source>
        <translation>已添加“{name}”。如果信任它，请允许。</translation>
    </message>
    <message>
        <source>“{name}” was downloaded.</source>
        <translation>已下载“{name}”。</translation>
    </message>
    <message>
        <source>“{name}” was not moved: {reason}</source>
        <translation>“{name}”未移动：{reason}</translation>
    </message>
    <message>
        <source>“{title}” was reset.</source>
        <translation>“{title}”已恢复默认。</translation>
    </message>
    <message>
        <source>“{name}” was restored. Allow it if you trust it.</source>
        <translation>“{name}”已恢复。如果信任它，请允许。</translation>
    </message>
    <message>
        <source>“{name}” will be created.</source>
        <translation>将创建“{name}”。</translation>
    </message>
    <message>
        <source>Run the edited plan</source>
        <translation>执行修改后的计划</translation>
    </message>
    <message>
        <source>Run it, and do not ask about plans again in this session</source>
        <translation>执行，本会话中不再询问计划</translation>
    </message>
    <message>
        <source>You can edit the plan: each step begins with STEP and its number; the text after FINISH describes the final answer.</source>
        <translation>可以修改计划：每个步骤以 STEP 加编号开头，FINISH 之后的文字描述最终回答。</translation>
    </message>
    <message>
        <source>Continue from the whole conversation</source>
        <translation>接着整个会话继续</translation>
    </message>
    <message>
        <source>{n:,} passage from {documents}, with names</source>
        <comment>{n:,} passages from {documents}, with names</comment>
        <translation>来自 {documents}的 {n:,} 个段落（含文档名）</translation>
    </message>
    <message>
        <source>{numbers} is not a source</source>
        <comment>{numbers} are not sources</comment>
        <translation>{numbers} 不是来源</translation>
    </message>
    <message>
        <source>Type @ for a document or # for a tag; Shift+Enter starts a new line.</source>
        <translation>用 @ 指定文档，用 # 指定标签；按 Shift+Enter 换行。</translation>
    </message>
    <message>
        <source>Undo the later edit of this text first.</source>
        <translation>请先撤销后来对这段文字的修改。</translation>
    </message>
    <message>
        <source>Each section begins with a line “== Title ==”. Its text is sent unchanged after “More to know”; titles are only shown to you.</source>
        <translation>每部分以“== 标题 ==”一行开头，其文字原样发送，放在“补充信息”之后；标题只显示给你看。</translation>
    </message>
    <message>
        <source>The model writes a plan first and runs it step by step.</source>
        <translation>模型先写出计划，再逐步执行。</translation>
    </message>
    <message>
        <source>Send a system prompt</source>
        <translation>发送系统提示词</translation>
    </message>
    <message>
        <source>A retriever finds passages for an agent instead of the library. Select it in “Agents…”.</source>
        <translation>检索器代替文档库为智能体查找段落。请在“智能体…”中选择。</translation>
    </message>
    <message>
        <source>Add surrounding text</source>
        <translation>添加前后段落</translation>
    </message>
    <message>
        <source>Add documents and ask about them in your own words. Every answer cites its sources, and each number opens the cited page. Everything stays on this computer; you need no account.</source>
        <translation>添加文档，然后用自己的话提问。每个回答都注明来源，点击编号即可打开引用的页面。所有内容都留在本机，无需账号。</translation>
    </message>
    <message>
        <source>Agent: {name}</source>
        <translation>智能体：{name}</translation>
    </message>
    <message>
        <source>Agents imported: {names}.</source>
        <translation>已导入智能体：{names}。</translation>
    </message>
    <message>
        <source>Answer with all</source>
        <translation>用全部段落回答</translation>
    </message>
    <message>
        <source>Answer with selected</source>
        <translation>用所选段落回答</translation>
    </message>
    <message>
        <source>Answered without this plan, at your request</source>
        <translation>应你的要求，未按此计划回答</translation>
    </message>
    <message>
        <source>Use Markdown</source>
        <translation>使用 Markdown</translation>
    </message>
    <message>
        <source>Tool calls</source>
        <translation>工具调用</translation>
    </message>
    <message>
        <source>Use passage_tag:key in a filter to find passages tagged “key”.</source>
        <translation>在筛选条件中使用 passage_tag:key，可找到标签为“key”的段落。</translation>
    </message>
    <message>
        <source>Same syntax as the filter of a question, for example format:pdf year&gt;=2020.</source>
        <translation>写法与提问时的筛选条件相同，例如 format:pdf year&gt;=2020。</translation>
    </message>
    <message>
        <source>Default setting</source>
        <translation>默认设置</translation>
    </message>
    <message>
        <source>The model searches whenever it needs to.</source>
        <translation>模型可在需要时随时搜索。</translation>
    </message>
    <message>
        <source>Reset to built-in</source>
        <translation>恢复为内置值</translation>
    </message>
    <message>
        <source>Based on the current state of the library.</source>
        <translation>以文档库的当前状态为准。</translation>
    </message>
    <message>
        <source>Ask one thing at a time.</source>
        <translation>一次只问一件事。</translation>
    </message>
    <message>
        <source>Edit question</source>
        <translation>编辑问题</translation>
    </message>
    <message>
        <source>Used instead of the library; all selected ones are searched.</source>
        <translation>代替文档库使用；会搜索所有选中的检索器。</translation>
    </message>
    <message>
        <source>Knowledge base: {knowledge_base}</source>
        <translation>知识库：{knowledge_base}</translation>
    </message>
    <message>
        <source>After the question</source>
        <translation>问题之后</translation>
    </message>
    <message>
        <source>Changes are saved when you click “Save”, select another agent, or close.</source>
        <translation>点击“保存”、选择另一个智能体或关闭窗口时，更改会保存。</translation>
    </message>
    <message>
        <source>Select a passage</source>
        <translation>选择一个段落</translation>
    </message>
    <message>
        <source>Select a passage to see what the search found.</source>
        <translation>选择一个段落，查看搜索找到的内容。</translation>
    </message>
    <message>
        <source>Choose passages before answering</source>
        <translation>回答前挑选段落</translation>
    </message>
    <message>
        <source>Select passages above the answer.</source>
        <translation>请在回答上方选择段落。</translation>
    </message>
    <message>
        <source>Click to open the cell.</source>
        <translation>点击打开所在单元格。</translation>
    </message>
    <message>
        <source>Click to open the chapter.</source>
        <translation>点击打开所在的章。</translation>
    </message>
    <message>
        <source>Click to open the message.</source>
        <translation>点击打开所在邮件。</translation>
    </message>
    <message>
        <source>Click to open the page.</source>
        <translation>点击打开所在页面。</translation>
    </message>
    <message>
        <source>Click to open the part.</source>
        <translation>点击打开所在部分。</translation>
    </message>
    <message>
        <source>Click to open the record.</source>
        <translation>点击打开所在记录。</translation>
    </message>
    <message>
        <source>Click to open the sheet.</source>
        <translation>点击打开所在工作表。</translation>
    </message>
    <message>
        <source>Click to open the slide.</source>
        <translation>点击打开所在幻灯片。</translation>
    </message>
    <message>
        <source>Click to open it.</source>
        <translation>点击打开。</translation>
    </message>
    <message>
        <source>Could not be applied again: the file no longer contains this text.</source>
        <translation>无法重新应用：文件中已没有这段文字。</translation>
    </message>
    <message>
        <source>Takes precedence over the setting above.</source>
        <translation>优先于上面的设置。</translation>
    </message>
    <message>
        <source>Each page once, with the cited passages highlighted.</source>
        <translation>每个页面只出现一次，并突出显示引用的段落。</translation>
    </message>
    <message>
        <source>Edits, newest first</source>
        <translation>修改记录，最近的在前</translation>
    </message>
    <message>
        <source>Leave empty for the default examples.</source>
        <translation>留空则使用默认示例。</translation>
    </message>
    <message>
        <source>Leave empty for the default text.</source>
        <translation>留空则使用默认文字。</translation>
    </message>
    <message>
        <source>Every answer cites its sources. Click a number to see the passage on its page.</source>
        <translation>每个回答都注明来源。点击编号即可在原页上查看该段落。</translation>
    </message>
    <message>
        <source>Every passage found, with scores and hashes.</source>
        <translation>找到的每个段落，附得分和哈希值。</translation>
    </message>
    <message>
        <source>Your own examples</source>
        <translation>你自己的示例</translation>
    </message>
    <message>
        <source>Send facts with each question</source>
        <translation>每次提问时附上事实</translation>
    </message>
    <message>
        <source>For example Asia/Shanghai; leave empty for the local time zone.</source>
        <translation>例如 Asia/Shanghai；留空则使用本机时区。</translation>
    </message>
    <message>
        <source>For individual tools</source>
        <translation>针对单个工具</translation>
    </message>
    <message>
        <source>Discard edits that could not be applied</source>
        <translation>舍弃未能应用的修改</translation>
    </message>
    <message>
        <source>Continue from here</source>
        <translation>从这里继续</translation>
    </message>
    <message>
        <source>Continue from here with a different tool result</source>
        <translation>换用另一个工具结果，从这里继续</translation>
    </message>
    <message>
        <source>Continue with a different result</source>
        <translation>用另一个结果继续</translation>
    </message>
    <message>
        <source>Hide the result of step {n}</source>
        <translation>收起步骤 {n} 的结果</translation>
    </message>
    <message>
        <source>Export progress</source>
        <translation>导出进度</translation>
    </message>
    <message>
        <source>Your own explanation</source>
        <translation>你自己的说明</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>In the system prompt</source>
        <translation>系统提示词中</translation>
    </message>
    <message>
        <source>As text; it is never looked up.</source>
        <translation>以文字填写，不会用于查询。</translation>
    </message>
    <message>
        <source>Put instructions in a separate tag</source>
        <translation>将指示放在单独的标签中</translation>
    </message>
    <message>
        <source>Run this plan?</source>
        <translation>执行此计划？</translation>
    </message>
    <message>
        <source>Analyze tool</source>
        <translation>分析工具</translation>
    </message>
    <message>
        <source>Think tool</source>
        <translation>思考工具</translation>
    </message>
    <message>
        <source>Send all values</source>
        <translation>发送全部变量</translation>
    </message>
    <message>
        <source>Include two examples</source>
        <translation>包含两个示例</translation>
    </message>
    <message>
        <source>Explain both tools in the prompt</source>
        <translation>在提示词中说明这两个工具</translation>
    </message>
    <message>
        <source>Include date and time</source>
        <translation>包含日期和时间</translation>
    </message>
    <message>
        <source>Include its name</source>
        <translation>包含名称</translation>
    </message>
    <message>
        <source>Search the library</source>
        <translation>搜索文档库</translation>
    </message>
    <message>
        <source>Allow filters in searches</source>
        <translation>允许在搜索中使用筛选</translation>
    </message>
    <message>
        <source>Search tool</source>
        <translation>搜索工具</translation>
    </message>
    <message>
        <source>It is shown in the steps of the answer.</source>
        <translation>它显示在回答的步骤中。</translation>
    </message>
    <message>
        <source>Its page appears here with the passage highlighted.</source>
        <translation>它所在的页面会显示在这里，并突出显示该段落。</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>跳到最新</translation>
    </message>
    <message>
        <source>Also use this passage for the next questions in this session</source>
        <translation>本会话后续的问题也使用此段落</translation>
    </message>
    <message>
        <source>Save this text and use it in searches (Ctrl+Enter)</source>
        <translation>保存这段文字并用于搜索 (Ctrl+Enter)</translation>
    </message>
    <message>
        <source>Retriever types</source>
        <translation>检索器类型</translation>
    </message>
    <message>
        <source>Discard the changes (Esc)</source>
        <translation>放弃更改 (Esc)</translation>
    </message>
    <message>
        <source>Too long for the embedding model</source>
        <translation>超出嵌入模型可读取的长度</translation>
    </message>
    <message>
        <source>Explaining the search result…</source>
        <translation>正在解释搜索结果…</translation>
    </message>
    <message>
        <source>Split this passage at the cursor (Ctrl+Shift+Enter)</source>
        <translation>在光标处拆分此段落 (Ctrl+Shift+Enter)</translation>
    </message>
    <message>
        <source>Allow {name} to run?</source>
        <translation>允许 {name} 运行吗？</translation>
    </message>
    <message>
        <source>Allow the call of “{tool}”?</source>
        <translation>允许调用“{tool}”吗？</translation>
    </message>
    <message>
        <source>No passage reaches the minimum relevance that you set, so none is selected. Select the passages that fit the question.</source>
        <translation>没有段落达到你设置的最低相关度，因此都未选择。请选择与问题相符的段落。</translation>
    </message>
    <message>
        <source>Nothing selected: the answer will say that nothing was found.</source>
        <translation>未选择任何段落：回答会说明没有找到内容。</translation>
    </message>
    <message>
        <source>Nothing was written yet.</source>
        <translation>尚未写入任何内容。</translation>
    </message>
    <message>
        <source>Ask me</source>
        <translation>先问我</translation>
    </message>
    <message>
        <source>Choose what the answer to “{query}” may use: {n} passage</source>
        <comment>Choose what the answer to “{query}” may use: {n} passages</comment>
        <translation>选择回答“{query}”时可用的内容：{n} 个段落</translation>
    </message>
    <message>
        <source>Do not ask me</source>
        <translation>不问我</translation>
    </message>
    <message>
        <source>Imported “{title}”. {n:,} cited document is not in this library; the passages and pages stored in the session are shown.</source>
        <comment>Imported “{title}”. {n:,} cited documents are not in this library; the passages and pages stored in the session are shown.</comment>
        <translation>已导入“{title}”。{n:,} 个被引用的文档不在此文档库中；将显示会话中保存的段落和页面。</translation>
    </message>
    <message>
        <source>Sizes are estimates. The text is shown exactly as it was sent.</source>
        <translation>大小为估计值，文本与发送的内容完全一致。</translation>
    </message>
    <message>
        <source>The answer cites a source that does not exist. Do not rely on the sentences next to this number.</source>
        <comment>The answer cites sources that do not exist. Do not rely on the sentences next to these numbers.</comment>
        <translation>回答引用了不存在的来源。请不要依赖该编号旁的句子。</translation>
    </message>
    <message>
        <source>Model turn</source>
        <translation>模型轮次</translation>
    </message>
    <message>
        <source>Words match the name, title or folder. Use key:value for format, tag, author, folder, created, page and your own metadata, with = != &gt; &gt;= &lt; &lt;=, ranges (year:2020..2023), OR, - for not, and brackets.</source>
        <translation>词语会在名称、标题和文件夹中查找。key:value 可用于 format、tag、author、folder、created、page 和你自己的元数据；支持 = != &gt; &gt;= &lt; &lt;=、范围（year:2020..2023）、OR、表示排除的 - 以及括号。</translation>
    </message>
    <message>
        <source>“{name}” was included in the imported session</source>
        <translation>“{name}”包含在导入的会话中</translation>
    </message>
    <message>
        <source>Offline mode on: {hosts} cannot be reached</source>
        <translation>断网模式已开：不会连接 {hosts}</translation>
    </message>
    <message>
        <source>No passage of this document was edited.</source>
        <translation>此文档中没有修改过的段落。</translation>
    </message>
    <message>
        <source>Tags removed</source>
        <translation>已移除标签</translation>
    </message>
    <message>
        <source>If none is selected, all are searched.</source>
        <translation>如果一个都不选，则搜索全部。</translation>
    </message>
    <message>
        <source>No workspace imported. A workspace is a folder that contains agents/NAME/AGENT.md, as in Agent Gateway.</source>
        <translation>尚未导入工作区。工作区是含有 agents/NAME/AGENT.md 的文件夹，与 Agent Gateway 相同。</translation>
    </message>
    <message>
        <source>This may not answer your question</source>
        <translation>这可能没有回答你的问题</translation>
    </message>
    <message>
        <source>No matches.</source>
        <translation>没有匹配项。</translation>
    </message>
    <message>
        <source>There is nothing to change.</source>
        <translation>这里没有可更改的内容。</translation>
    </message>
    <message>
        <source>No passage selected</source>
        <translation>未选择段落</translation>
    </message>
    <message>
        <source>Best ranked of {n} passages there: {where}. Based on the current state of the library.</source>
        <translation>这里有 {n} 个段落，显示排名最高的一个：{where}。以文档库的当前状态为准。</translation>
    </message>
    <message>
        <source>One rule per paragraph, separated by empty lines.</source>
        <translation>每段一条规则，两条之间空一行。</translation>
    </message>
    <message>
        <source>Sections of the agent</source>
        <translation>智能体的各部分</translation>
    </message>
    <message>
        <source>Format of passages</source>
        <translation>段落格式</translation>
    </message>
    <message>
        <source>Passages found: Space selects, Alt+Up and Alt+Down move</source>
        <translation>找到的段落：按空格键选择，按 Alt+上/下方向键移动</translation>
    </message>
    <message>
        <source>Plan first: the model writes a plan and runs it step by step</source>
        <translation>先列计划：模型先写出计划，再逐步执行</translation>
    </message>
    <message>
        <source>Click a citation or select a document to see its passages on their pages.</source>
        <translation>点击引用或选择文档，即可在页面上查看其段落。</translation>
    </message>
    <message>
        <source>Custom prompt</source>
        <translation>自定义提示词</translation>
    </message>
    <message>
        <source>Reset every field except the name to the built-in agent&apos;s values</source>
        <translation>将名称以外的所有字段恢复为内置智能体的值</translation>
    </message>
    <message>
        <source>Question to explain the passage for</source>
        <translation>用来解释此段落的问题</translation>
    </message>
    <message>
        <source>Raised because the question names this document.</source>
        <translation>排名已提高，因为问题点名了此文档。</translation>
    </message>
    <message>
        <source>Import workspace</source>
        <translation>导入工作区</translation>
    </message>
    <message>
        <source>Import workspace…</source>
        <translation>导入工作区…</translation>
    </message>
    <message>
        <source>Import again</source>
        <translation>重新导入</translation>
    </message>
    <message>
        <source>Review and allow…</source>
        <translation>查看后允许…</translation>
    </message>
    <message>
        <source>Save or cancel your changes first: only the saved text can be split.</source>
        <translation>请先保存或取消你的更改：只能拆分已保存的文字。</translation>
    </message>
    <message>
        <source>Score {score:.3f}; lowest score returned: {last:.3f}.</source>
        <translation>得分 {score:.3f}；给出的最低得分：{last:.3f}。</translation>
    </message>
    <message>
        <source>Remove the filter</source>
        <translation>移除筛选条件</translation>
    </message>
    <message>
        <source>Search only documents that match this filter</source>
        <translation>只搜索符合此筛选条件的文档</translation>
    </message>
    <message>
        <source>Filter, for example format:pdf year&gt;=2020 tag:tax -draft</source>
        <translation>筛选，例如 format:pdf year&gt;=2020 tag:税务 -草稿</translation>
    </message>
    <message>
        <source>Searched for {queries}; {n} passage was read, and it does not answer the question.</source>
        <translation>已搜索 {queries}；查看了 {n} 个段落，都不能回答此问题。</translation>
    </message>
    <message>
        <source>Custom sections</source>
        <translation>自定义部分</translation>
    </message>
    <message>
        <source>Check in the library that the document is there and ready.</source>
        <translation>请在文档库中确认该文档存在且已就绪。</translation>
    </message>
    <message>
        <source>Sent unchanged after the instructions.</source>
        <translation>原样发送，放在指令之后。</translation>
    </message>
    <message>
        <source>Show the whole section that contains this passage</source>
        <translation>显示这个段落所在的整节</translation>
    </message>
    <message>
        <source>Show the result of step {n}</source>
        <translation>展开步骤 {n} 的结果</translation>
    </message>
    <message>
        <source>Show the sentences that their sources do not support</source>
        <translation>显示哪些句子没有来源依据</translation>
    </message>
    <message>
        <source>Tags, separated by commas</source>
        <translation>标签，用逗号分隔</translation>
    </message>
    <message>
        <source>Replaces everything above, except the rule that documents are data.</source>
        <translation>代替上面的所有内容，只保留“文档是数据”这条规则。</translation>
    </message>
    <message>
        <source>The answer cites no passage</source>
        <translation>回答没有引用任何段落</translation>
    </message>
    <message>
        <source>The answer failed because of an internal error.</source>
        <translation>回答因程序内部错误而失败。</translation>
    </message>
    <message>
        <source>The built-in agent cannot be edited. Duplicate it and edit the copy.</source>
        <translation>内置智能体不能编辑。请复制一份，再编辑副本。</translation>
    </message>
    <message>
        <source>Code of {name}</source>
        <translation>{name} 的代码</translation>
    </message>
    <message>
        <source>Original documents</source>
        <translation>文档原件</translation>
    </message>
    <message>
        <source>The embedding model reads a long passage in pieces. Shorter passages are found better by meaning.</source>
        <translation>嵌入模型会分块读取长段落：较短的段落更容易按语义找到。</translation>
    </message>
    <message>
        <source>The unchanged files. Anyone who receives the bundle can open them.</source>
        <translation>未经更改的文件。收到归档包的人都能打开它们。</translation>
    </message>
    <message>
        <source>Default model</source>
        <translation>默认模型</translation>
    </message>
    <message>
        <source>New question</source>
        <translation>新问题</translation>
    </message>
    <message>
        <source>Plan, step by step</source>
        <translation>计划的各个步骤</translation>
    </message>
    <message>
        <source>Role of the prompt</source>
        <translation>提示词的发送角色</translation>
    </message>
    <message>
        <source>Search before answering</source>
        <translation>回答前先搜索</translation>
    </message>
    <message>
        <source>Reranker score: {score:.3f}.</source>
        <translation>重排得分：{score:.3f}。</translation>
    </message>
    <message>
        <source>Your new question gets its own answer below. The old question and its answer stay.</source>
        <translation>新问题的回答会显示在下方。原来的问题和回答会保留。</translation>
    </message>
    <message>
        <source>These passages may not answer the question.</source>
        <translation>这些段落可能没有回答该问题。</translation>
    </message>
    <message>
        <source>No retrievers yet. Plug-in files, installed packages and your own programs can provide them.</source>
        <translation>还没有检索器。插件文件、已安装的包和你自己的程序都可以提供检索器。</translation>
    </message>
    <message>
        <source>The plan has no steps. Write one as “STEP1: what to do”.</source>
        <translation>计划中没有步骤。请按“STEP1: 要做什么”的形式写一步。</translation>
    </message>
    <message>
        <source>These are the closest passages. Open them to check, or use words from the documents in your question.</source>
        <translation>这些段落最接近。请打开核对，或用文档中的措辞提问。</translation>
    </message>
    <message>
        <source>This answer did not use any passages.</source>
        <translation>这个回答没有使用任何段落。</translation>
    </message>
    <message>
        <source>The explanation failed.</source>
        <translation>解释失败。</translation>
    </message>
    <message>
        <source>This document has changed and no longer contains the passage. The quote stored with the answer is shown.</source>
        <translation>此文档已更改，其中已没有这个段落。这里显示与回答一起保存的引文。</translation>
    </message>
    <message>
        <source>This document has changed. The passage was found in a different place.</source>
        <translation>此文档已更改；在另一个位置找到了这个段落。</translation>
    </message>
    <message>
        <source>This document is no longer in the library. The quote stored with the answer is shown.</source>
        <translation>此文档已不在文档库中。这里显示与回答一起保存的引文。</translation>
    </message>
    <message>
        <source>This document is not in this library. The passage from the imported session is shown.</source>
        <translation>此文档不在此文档库中。这里显示导入的会话中的段落。</translation>
    </message>
    <message>
        <source>This file runs with your permissions: it can read your files and use the network. Allow it only if you trust its author. You are asked again if the file changes.</source>
        <translation>此文件以你的权限运行：可以读取你的文件并使用网络。只有信任其作者时才应允许。文件变化后会再次询问。</translation>
    </message>
    <message>
        <source>This section is very long. Only the part around the passage is highlighted.</source>
        <translation>这一节很长，只突出显示段落前后的部分。</translation>
    </message>
    <message>
        <source>Try again.</source>
        <translation>请再试一次。</translation>
    </message>
    <message>
        <source>Try with sample documents</source>
        <translation>用示例文档试一试</translation>
    </message>
    <message>
        <source>Type a question that should find this passage.</source>
        <translation>请输入本应找到这个段落的问题。</translation>
    </message>
    <message>
        <source>Use words from the documents: names, dates, terms.</source>
        <translation>使用文档中的词语：名称、日期、术语。</translation>
    </message>
    <message>
        <source>Views of the passage</source>
        <translation>查看段落的方式</translation>
    </message>
    <message>
        <source>Evaluating the results</source>
        <translation>评估搜索结果</translation>
    </message>
    <message>
        <source>Format and content of an answer.</source>
        <translation>回答的格式和内容。</translation>
    </message>
    <message>
        <source>The text written before that is kept above.</source>
        <translation>此前写出的文字保留在上方。</translation>
    </message>
    <message>
        <source>The results are sent with the question. Suitable for models without tool calls.</source>
        <translation>搜索结果随问题一起发送。适合不能调用工具的模型。</translation>
    </message>
    <message>
        <source>Position of the results</source>
        <translation>搜索结果的位置</translation>
    </message>
    <message>
        <source>Role, for example “a careful legal clerk”.</source>
        <translation>角色，例如“一位细心的法务文员”。</translation>
    </message>
    <message>
        <source>Enter the result that “{tool}” should have returned. The steps before it stay the same, and the model continues from here. The new answer appears below and says that you changed a result.</source>
        <translation>请输入“{tool}”本应返回的结果。之前的步骤保持不变，模型从这里继续。新的回答显示在下方，并注明你更改了一个结果。</translation>
    </message>
    <message>
        <source>The reasoning that the model returned.</source>
        <translation>模型返回的推理过程。</translation>
    </message>
    <message>
        <source>Prompt sent to the model</source>
        <translation>发送给模型的提示词</translation>
    </message>
    <message>
        <source>The exact text sent to the model.</source>
        <translation>发送给模型的原文。</translation>
    </message>
    <message>
        <source>Arguments and results of every tool call.</source>
        <translation>每次工具调用的参数和结果。</translation>
    </message>
    <message>
        <source>How each answer was made, step by step.</source>
        <translation>每个回答的生成过程，逐步列出。</translation>
    </message>
    <message>
        <source>Your edits of the passages of this document</source>
        <translation>你对此文档段落的修改</translation>
    </message>
    <message>
        <source>Your text is not saved yet. It will be there when you edit this passage again.</source>
        <translation>输入的内容还没有保存。再次修改该段落时会恢复。</translation>
    </message>
    <message>
        <source>Result of {tool}</source>
        <translation>{tool} 的返回结果</translation>
    </message>
    <message>
        <source>Where answers cite this document</source>
        <translation>回答引用此文档的位置</translation>
    </message>
    <message>
        <source>Where answers cite this document; click to go there</source>
        <translation>回答引用此文档的位置；点击即可前往</translation>
    </message>
    <message>
        <source>When you choose it</source>
        <translation>由你选择</translation>
    </message>
    <message>
        <source>Select the agent</source>
        <translation>选择智能体</translation>
    </message>
    <message>
        <source>Identity; the prompt begins with it.</source>
        <translation>身份；提示词以此开头。</translation>
    </message>
    <message>
        <source>The file contains {things}. Nothing is sent anywhere.</source>
        <translation>文件包含：{things}。不会发送任何内容。</translation>
    </message>
    <message>
        <source>Words in the question</source>
        <translation>问题中的词</translation>
    </message>
    <message>
        <source>Ask before tool calls</source>
        <translation>调用工具前询问</translation>
    </message>
    <message>
        <source>You edited this passage after this answer. The text that the answer used is shown here; the document shows the current text.</source>
        <translation>你在此回答之后修改过这个段落。这里显示回答当时使用的文字；文档中显示当前的文字。</translation>
    </message>
    <message>
        <source>You edited this passage. Searches and quotes use your text; the highlighted text is the original.</source>
        <translation>你修改过这个段落。搜索和引用使用你的文字；突出显示的是原文。</translation>
    </message>
    <message>
        <source>all {n:,} returned</source>
        <translation>已给出全部 {n:,} 个</translation>
    </message>
    <message>
        <source>agent: {agent}</source>
        <translation>智能体：{agent}</translation>
    </message>
    <message>
        <source>uses {retrievers}</source>
        <translation>使用 {retrievers}</translation>
    </message>
    <message>
        <source>unavailable</source>
        <translation>不可用</translation>
    </message>
    <message>
        <source>changed since it was allowed</source>
        <translation>获准后已更改</translation>
    </message>
    <message>
        <source>One key=value per line. {key} in texts and questions is replaced by the value.</source>
        <translation>每行一个 key=value。文本和问题中的 {key} 会替换为对应的值。</translation>
    </message>
    <message>
        <source>One key=value per line; also sent to retrievers.</source>
        <translation>每行一个 key=value；也会发送给检索器。</translation>
    </message>
    <message>
        <source>One key=value per line; sent to retrievers, and {key} in texts is replaced by the value.</source>
        <translation>每行一个 key=value；会发送给检索器，文本中的 {key} 会替换为对应的值。</translation>
    </message>
    <message>
        <source>not allowed</source>
        <translation>未允许</translation>
    </message>
    <message>
        <source>not used yet</source>
        <translation>尚未使用</translation>
    </message>
    <message>
        <source>provides {retrievers}</source>
        <translation>提供 {retrievers}</translation>
    </message>
    <message>
        <source>does not occur in the library</source>
        <translation>文档库中没有出现</translation>
    </message>
    <message>
        <source>the original documents</source>
        <translation>文档原件</translation>
    </message>
    <message>
        <source>the first {n:,} returned</source>
        <translation>已给出前 {n:,} 个</translation>
    </message>
    <message>
        <source>the model&apos;s reasoning</source>
        <translation>模型的推理</translation>
    </message>
    <message>
        <source>waiting for you</source>
        <translation>等待你处理</translation>
    </message>
    <message>
        <source>needs your permission</source>
        <translation>等待你的许可</translation>
    </message>
    <message>
        <source>tool results</source>
        <translation>工具的结果</translation>
    </message>
    <message>
        <source>{kind}, too long for the embedding model</source>
        <translation>{kind}，超出嵌入模型可读取的长度</translation>
    </message>
    <message>
        <source>{model} at {host} answers. Your question and the passages found are sent there.</source>
        <translation>由 {host} 上的 {model} 回答。你的问题和找到的段落会发送到那里。</translation>
    </message>
    <message>
        <source>{n:,} returned</source>
        <translation>给出 {n:,} 个</translation>
    </message>
    <message>
        <source>{name} (missing)</source>
        <translation>{name}（缺失）</translation>
    </message>
    <message>
        <source>{name} ({n:,} characters, first {taken:,} used)</source>
        <translation>{name}（{n:,} 个字符，取前 {taken:,} 个）</translation>
    </message>
    <message>
        <source>{name} is no longer allowed.</source>
        <translation>不再允许 {name}。</translation>
    </message>
    <message>
        <source>{name} is allowed. Agents can use {offers}.</source>
        <translation>已允许 {name}。智能体可以使用 {offers}。</translation>
    </message>
    <message>
        <source>{number} to review below.</source>
        <translation>下面有 {number} 处需要查看。</translation>
    </message>
    <message>
        <source>{n} passage was read, and it does not answer the question.</source>
        <translation>已查看 {n} 个段落，都不能回答此问题。</translation>
    </message>
    <message>
        <source>{passages}, about {tokens:,} of about {room:,} tokens available in the context window.</source>
        <translation>{passages}，约 {tokens:,} 个 token；上下文窗口约可容纳 {room:,} 个。</translation>
    </message>
    <message>
        <source>{passages}, about {tokens:,} tokens; about {room:,} fit in the context window, so sentences will be left out.</source>
        <translation>{passages}，约 {tokens:,} 个 token；上下文窗口约可容纳 {room:,} 个，因此会略去一些句子。</translation>
    </message>
    <message>
        <source>{score}, best {best:.3f}</source>
        <translation>{score}，最高 {best:.3f}</translation>
    </message>
    <message>
        <source>{score}. Weight of this list: {share:.0%}.</source>
        <translation>{score}。这个列表占 {share:.0%} 的权重。</translation>
    </message>
    <message>
        <source>Choose a passage to see why it was found, or why not.</source>
        <translation>选择一个段落，查看它为何被找到或未被找到。</translation>
    </message>
</context>
</TS>
