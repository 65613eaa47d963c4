"use strict";
(() => {
  const root = document.documentElement;
  const by = (id) => document.getElementById(id);
  const all = (query, inside) => [...(inside || document).querySelectorAll(query)];
  root.classList.add("scripted");

  // What the page holds compressed: base64 of deflate, entries of number, U+001F, text, U+001E.
  const packs = all("script.pack").map((element) => ({
    kind: element.dataset.k, from: +element.dataset.from, to: +element.dataset.to, element,
  }));
  const inflate = async (pack) => {
    if (!pack.entries) {
      pack.entries = (async () => {
        const letters = atob(pack.element.textContent.trim());
        const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
        const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
        const text = await new Response(stream).text();
        const entries = new Map();
        for (const entry of text.split("\x1e")) {
          const at = entry.indexOf("\x1f");
          if (at > 0) entries.set(+entry.slice(0, at), entry.slice(at + 1));
        }
        return entries;
      })();
    }
    return pack.entries;
  };
  const fetchEntry = async (kind, number) => {
    const pack = packs.find((pack) => pack.kind === kind && pack.from <= number && number <= pack.to);
    return pack && (await inflate(pack)).get(number);
  };

  // Parts of a long session are put into the page when they come near. Their HTML was written by the same program as
  // the rest of the page, and the policy of the page holds for it too.
  const parse = (html) => new DOMParser().parseFromString(html, "text/html").body;
  const load = async (part) => {
    if (!part.loading) {
      part.loading = (async () => {
        const html = await fetchEntry("p", +part.dataset.p);
        if (html === undefined) return;
        part.replaceChildren(...parse(html).childNodes);
        part.classList.remove("part");
        if (splits) all(".hb", part).forEach(double);
      })();
    }
    return part.loading;
  };
  const parts = all(".part");
  let splits = false;
  if (parts.length) {
    const seen = new IntersectionObserver((changes) => {
      for (const change of changes) {
        if (change.isIntersecting) {
          seen.unobserve(change.target);
          load(change.target);
        }
      }
    }, { rootMargin: "800px" });
    parts.forEach((part) => seen.observe(part));
  }
  const show = (element) => {
    for (let up = element; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    const own = element.querySelector(":scope > details:not(.src)");
    if (own) own.open = true;
    element.scrollIntoView({ block: "start" });
    element.focus({ preventScroll: true });
  };
  // Finds an entry, also in a part that is not in the page yet.
  const find = async (id) => {
    let found = by(id);
    for (const part of parts) {
      if (found) break;
      const html = await fetchEntry("p", +part.dataset.p);
      if (html && html.includes('id="' + id + '"')) {
        await load(part);
        found = by(id);
      }
    }
    return found;
  };
  const go = async () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { return; }
    const found = id && /^[et][0-9]+-[0-9]+(-end)?$/.test(id) && (await find(id));
    if (found) {
      if (!found.hasAttribute("tabindex")) found.tabIndex = -1;
      show(found);
    }
  };
  addEventListener("hashchange", go);
  go();

  // The whole of long texts, and native lines.
  const text = (content) => {
    const element = document.createElement("pre");
    element.textContent = content;
    return element;
  };
  document.addEventListener("click", async (event) => {
    const button = event.target.closest(".cut button");
    if (!button) return;
    const long = button.closest(".long");
    const whole = await fetchEntry("t", +long.dataset.t);
    if (whole !== undefined) long.replaceChildren(text(whole));
  });
  document.addEventListener("toggle", async (event) => {
    const source = event.target;
    if (!source.open || !source.classList.contains("src") || source.dataset.done) return;
    source.dataset.done = "1";
    let budget = 20;
    for (const item of all("li[data-l]", source)) {
      const [from, to] = item.dataset.l.split("-").map(Number);
      for (let line = from; line <= to && budget > 0; line += 1) {
        const native = await fetchEntry("n", line);
        if (native === undefined) continue;
        budget -= 1;
        item.append(text(native));
      }
    }
  }, true);

  // Diffs.
  const double = (both) => {
    if (both.querySelector(".copy")) return;
    const copy = both.firstElementChild.cloneNode(true);
    copy.className = "copy";
    copy.setAttribute("aria-hidden", "true");
    both.append(copy);
  };
  const split = () => {
    splits = !splits;
    all(".hb").forEach(double);
    root.classList.toggle("split", splits);
    by("split").setAttribute("aria-pressed", splits);
  };
  const openAll = () => {
    const open = by("open").getAttribute("aria-pressed") !== "true";
    all(".talk details:not(.src)").forEach((details) => { details.open = open; });
    by("open").setAttribute("aria-pressed", open);
    by("open").textContent = open ? "Fold all" : "Open all";
  };
  const store = (theme) => { try { localStorage.setItem("interlingua-theme", theme); } catch { /* not kept */ } };
  const theme = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const next = (root.dataset.theme || (dark ? "dark" : "light")) === "dark" ? "light" : "dark";
    root.dataset.theme = next;
    store(next);
  };
  try {
    const kept = localStorage.getItem("interlingua-theme");
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* not kept */ }
  const help = () => {
    by("keys").hidden = !by("keys").hidden;
    by("help").setAttribute("aria-expanded", !by("keys").hidden);
  };
  for (const [id, action] of Object.entries({ split, open: openAll, theme, help })) {
    if (by(id)) by(id).addEventListener("click", action);
  }

  // Search: in all entries, also those that are not in the page yet and the whole of long texts.
  let index;
  const build = async () => {
    const found = [];
    const take = async (inside) => {
      for (const entry of all("article.e", inside)) {
        let words = "";
        for (const node of entry.childNodes) words += node.textContent + " ";
        const longs = all("[data-t]", entry);
        for (const long of longs) words += (await fetchEntry("t", +long.dataset.t)) || "";
        found.push({ id: entry.id, who: entry.getAttribute("aria-label"), words, lower: words.toLowerCase() });
      }
    };
    for (const child of by("talk").children) {
      if (child.classList.contains("part")) await take(parse((await fetchEntry("p", +child.dataset.p)) || ""));
      else if (child.matches("article.e")) await take({ querySelectorAll: () => [child, ...child.querySelectorAll("article.e")] });
      else await take(child);
    }
    return found;
  };
  let asked = 0;
  const search = async () => {
    const mine = ++asked;
    const wanted = by("find").value.trim().toLowerCase();
    if (!by("talk")) {
      let count = 0;
      for (const row of all("tr.hit")) {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        count += row.hidden ? 0 : 1;
      }
      by("found").textContent = wanted ? count + " found" : "";
      return;
    }
    const hits = by("hits");
    hits.hidden = !wanted;
    if (!wanted) {
      by("found").textContent = "";
      return;
    }
    index = index || build();
    const entries = await index;
    if (mine !== asked) return;
    const items = [];
    let count = 0;
    for (const entry of entries) {
      const at = entry.lower.indexOf(wanted);
      if (at < 0) continue;
      count += 1;
      if (count > 200) continue;
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = "#" + entry.id;
      link.textContent = entry.who;
      item.append(link, " …" + entry.words.slice(Math.max(0, at - 40), at + wanted.length + 80).replace(/\s+/g, " ") + "…");
      items.push(item);
    }
    hits.replaceChildren(...items);
    hits.hidden = items.length === 0;
    by("found").textContent = count + " found" + (count > 200 ? ", the first 200 are shown" : "");
  };
  let waiting;
  if (by("find")) {
    by("find").addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(search, 150);
    });
  }

  // Keys.
  const step = (query, forward) => {
    const shown = all(query).filter((element) => element.offsetParent !== null);
    const edge = 130;
    const next = forward
      ? shown.find((element) => element.getBoundingClientRect().top > edge)
      : shown.reverse().find((element) => element.getBoundingClientRect().top < edge - 20);
    if (!next) return;
    if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
    next.scrollIntoView({ block: "start" });
    next.focus({ preventScroll: true });
    if (next.id) history.replaceState(null, "", "#" + next.id);
  };
  const fold = () => {
    const details = document.activeElement && document.activeElement.querySelector(":scope > details:not(.src)");
    if (details) details.open = !details.open;
  };
  const keys = {
    "/": () => by("find") && by("find").focus(),
    j: () => step("article.e", true), k: () => step("article.e", false),
    n: () => step(".turn", true), p: () => step(".turn", false),
    f: () => step(".k-error, .e.bad", true),
    Enter: fold, o: openAll, s: split, t: theme, "?": help,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && event.target.id === "find") {
      event.target.value = "";
      search();
      event.target.blur();
      return;
    }
    if (event.target.matches("input, textarea, select, button, a, summary")) return;
    const action = keys[event.key];
    if (!action || (!by("talk") && !["/", "t"].includes(event.key))) return;
    event.preventDefault();
    action();
  });
  // Everything is printed.
  addEventListener("beforeprint", () => {
    parts.forEach(load);
    all(".talk details:not(.src)").forEach((details) => { details.open = true; });
  });
})();
