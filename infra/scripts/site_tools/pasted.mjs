// What browsers put into the clipboard for the same text of Word and of Google Docs, shortened, and
// what an editor of the site makes of it.

/** Word: a heading, a paragraph with marks and a link, and a list that is no list in HTML. */
export const WORD = `<html xmlns:o="urn:schemas-microsoft-com:office:office">
<head><meta name=Generator content="Microsoft Word 15"><style><!-- p.MsoNormal {margin:0cm;}
--></style>
<!--[if gte mso 9]><xml><o:OfficeDocumentSettings></o:OfficeDocumentSettings></xml><![endif]-->
</head>
<body lang=EN-GB><!--StartFragment-->
<h1 style='margin-top:12.0pt'><span lang=EN-GB style='font-family:"Calibri"'>Who we
are<o:p></o:p></span></h1>
<p class=MsoNormal><span lang=EN-GB>We build <b>robots</b>, <i>slowly</i>. See <a
href="https://robots.example/"><span style='color:blue'>our
page</span></a>.<o:p></o:p></span></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if
!supportLists]><span
style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New
Roman"'>&nbsp;&nbsp;
</span></span></span><![endif]>Monday<o:p></o:p></p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><span
style='mso-list:Ignore'>o&nbsp;</span>in the lab<o:p></o:p></p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><span
style='mso-list:Ignore'>·&nbsp;</span>Friday<o:p></o:p></p>
<p class=MsoNormal><o:p>&nbsp;</o:p></p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span
style='mso-list:Ignore'>1.&nbsp;</span>Come</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span
style='mso-list:Ignore'>2.&nbsp;</span>Build</p>
<!--EndFragment--></body></html>`;

/** Google Docs: all text in spans, a bold element that is not bold, and lists beside points. */
export const DOCS = `<meta charset='utf-8'><b style="font-weight:normal;"
 id="docs-internal-guid-1"><h1 dir="ltr"><span style="font-size:20pt;font-weight:400;">Who we
are</span></h1>
<p dir="ltr"><span style="font-weight:400;">We build </span><span
style="font-weight:700;">robots</span><span
 style="font-weight:400;">, </span><span
style="font-weight:400;font-style:italic;">slowly</span><span
 style="font-weight:400;">. See </span><a
 href="https://www.google.com/url?q=https://robots.example/&amp;sa=D"
style="text-decoration:none;"><span
 style="font-weight:400;color:#1155cc;">our page</span></a><span
style="font-weight:400;">.</span></p>
<ul><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Monday</span></p></li>
<ul><li dir="ltr" aria-level="2"><p dir="ltr"><span>in the lab</span></p></li></ul>
<li dir="ltr" aria-level="1"><p dir="ltr"><span>Friday</span></p></li></ul><br />
<ol><li dir="ltr"><p dir="ltr"><span>Come</span></p></li><li dir="ltr"><p
dir="ltr"><span>Build</span></p></li>
</ol></b><br class="Apple-interchange-newline">`;

export const CLEAN =
  "<h2>Who we are</h2>" +
  "<p>We build <b>robots</b>, <i>slowly</i>. " +
  'See <a href="https://robots.example/">our page</a>.</p>' +
  "<ul><li>Monday<ul><li>in the lab</li></ul></li><li>Friday</li></ul>" +
  "<ol><li>Come</li><li>Build</li></ol>";
