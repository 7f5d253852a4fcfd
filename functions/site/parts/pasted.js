// What somebody pastes from Word, Google Docs or a web page, as the plain HTML that the API keeps:
// paragraphs, headings, lists, bold, italic and links. Everything else of the source goes.

const BLOCKS = new Set(
  "P DIV H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE PRE TABLE TBODY TR TD TH SECTION ARTICLE".split(" "),
);
const GONE = new Set("STYLE SCRIPT META LINK TITLE HEAD XML OBJECT IFRAME".split(" "));

/** Where a link leads, without the detour that Google Docs makes; empty if the API keeps none. */
function target(anchor) {
  const href = anchor.getAttribute("href") ?? "";
  const detour = /^https:\/\/www\.google\.com\/url\?(.*)/.exec(href);
  const address = detour ? (new URLSearchParams(detour[1]).get("q") ?? "") : href;
  return /^(https?|mailto):/i.test(address) ? address : "";
}

/** What an element of the source means for its text: the names of elements around it. */
function marks(element) {
  const style = element.getAttribute("data-style") ?? "";
  const weight = /font-weight:\s*(\w+)/i.exec(style)?.[1];
  const slant = /font-style:\s*(\w+)/i.exec(style)?.[1];
  const isBold = weight
    ? weight === "bold" || Number(weight) >= 600
    : ["B", "STRONG"].includes(element.tagName);
  const isItalic = slant ? slant === "italic" : ["I", "EM"].includes(element.tagName);
  return [isBold && "b", isItalic && "i"].filter((name) => typeof name === "string");
}

/** Copies the text of a source with its marks and links into `to`. */
function inline(source, to) {
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) {
      to.append((child.nodeValue ?? "").replace(/[ \t\r\n]+/g, " "));
    } else if (child.nodeType === Node.ELEMENT_NODE && !GONE.has(child.tagName)) {
      if (child.tagName === "BR") {
        to.append(document.createElement("br"));
        continue;
      }
      // Word shows the sign before a point of a list in an element of its own.
      if (/mso-list:\s*ignore/i.test(child.getAttribute("data-style") ?? "")) continue;
      let place = to;
      const address = child.tagName === "A" ? target(child) : "";
      const names = [...(address ? ["a"] : []), ...(isHeading(to) ? [] : marks(child))];
      for (const name of names) {
        const around = document.createElement(name);
        if (name === "a") around.setAttribute("href", address);
        place.append(around);
        place = around;
      }
      inline(child, place);
    }
  }
}

const isHeading = (element) => /^H[23]$/.test(element.tagName);

/** How a paragraph of Word is a point of a list: how deep, and whether it has a number. */
function point(paragraph) {
  const level = /mso-list:[^;]*level(\d+)/i.exec(paragraph.getAttribute("data-style") ?? "");
  if (!level) return null;
  const ignored = [...paragraph.querySelectorAll("[data-style]")];
  const sign = ignored.find((one) =>
    /mso-list:\s*ignore/i.test(one.getAttribute("data-style") ?? ""),
  );
  const isNumber = /^\s*[\p{L}\d]+[.)]/u.test(sign?.textContent ?? "");
  return { depth: Number(level[1]), name: isNumber ? "ol" : "ul" };
}

/** The list in `to` for a point this deep; lists are made as they are needed. */
function listFor(to, { depth, name }) {
  let place = to;
  for (let level = 1; level <= depth; level++) {
    const last = place.lastElementChild;
    const isLast = last && ["UL", "OL"].includes(last.tagName);
    // Another kind of list at its own depth begins anew.
    const fits = isLast && (level < depth || last.tagName.toLowerCase() === name);
    const list = fits ? last : document.createElement(name);
    if (!fits) place.append(list);
    if (level === depth) return list;
    if (!list.lastElementChild) list.append(document.createElement("li"));
    place = list.lastElementChild;
  }
  return place;
}

/** Copies the points of a list. Google Docs puts a list beside the point that it belongs to. */
function points(source, list) {
  for (const child of source.children) {
    const nested = ["UL", "OL"].includes(child.tagName);
    if (nested && !list.lastElementChild) list.append(document.createElement("li"));
    const item = nested ? list.lastElementChild : document.createElement("li");
    if (!nested) list.append(item);
    if (nested) item.append(points(child, document.createElement(child.tagName)));
    else parts(child, item, true);
  }
  return list;
}

/** Copies what a source has: blocks as blocks, and the text between them. */
function parts(source, to, isItem = false) {
  /** @type {HTMLElement | null} */
  let open = null;
  const blocks = [...source.children].some(hasBlock);
  for (const child of source.childNodes) {
    if (child.nodeType === Node.COMMENT_NODE || GONE.has(child.tagName)) continue;
    const tag = child.tagName;
    const isBlock = BLOCKS.has(tag) || [...(child.children ?? [])].some((one) => hasBlock(one));
    if (!isBlock) {
      // A break between blocks is no text.
      if (blocks && (tag === "BR" || !child.textContent?.trim())) continue;
      if (!open) {
        open = isItem ? to : document.createElement("p");
        if (open !== to) to.append(open);
      }
      const box = document.createElement("div");
      box.append(child.cloneNode(true));
      inline(box, open);
      continue;
    }
    open = null;
    if (tag === "UL" || tag === "OL") to.append(points(child, document.createElement(tag)));
    else if (/^H\d$/.test(tag)) text(child, to, tag <= "H2" ? "h2" : "h3");
    else if (hasBlockInside(child)) parts(child, to, isItem);
    else if (isItem) inline(child, to);
    else {
      const listed = tag === "P" ? point(child) : null;
      if (listed) text(child, listFor(to, listed), "li");
      else text(child, to, "p");
    }
  }
}

const hasBlock = (element) => BLOCKS.has(element.tagName) || hasBlockInside(element);
const hasBlockInside = (element) => [...element.children].some(hasBlock);

/** Adds one block with the text of a source, unless it is empty. */
function text(source, to, name) {
  const block = document.createElement(name);
  inline(source, block);
  block.innerHTML = block.innerHTML.trim().replace(/^(&nbsp;)+$/, "");
  if (block.textContent?.trim()) to.append(block);
}

/**
 * @param {string} source the HTML of a clipboard
 * @returns {string} HTML that the editor shows
 */
export function pasted(source) {
  // The policy of the page lets no attribute set a style: it is only read.
  const plain = source
    .replace(/<style[\s\S]*?<\/style>/gi, "")
    .replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\sstyle\s*=/gi, " data-style="));
  const page = new DOMParser().parseFromString(plain, "text/html");
  const to = document.createElement("div");
  parts(page.body, to);
  // Text without a block goes on in the paragraph where it is pasted.
  const only = to.children.length === 1 ? to.firstElementChild : null;
  return only?.tagName === "P" ? only.innerHTML : to.innerHTML;
}
