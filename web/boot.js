// Unpacks the page's script, whose hash the policy has, and runs it.
(async () => {
  const part = document.querySelector('script[data-part="page"]');
  try {
    const text = part.text.trim();
    // Letter by letter where the browser cannot do better.
    const bytes = Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Response(bytes).body.pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    part.replaceWith(script);
  } catch (error) {
    const note = document.createElement("p");
    note.setAttribute("role", "alert");
    note.textContent = `The viewer did not start. It needs a browser of 2023 or later (${error}).`;
    document.body.prepend(note);
  }
})();
