// A page of one flame graph.

{
  const address = location.hash.slice(1);
  const data = JSON.parse(document.getElementById("data").textContent);
  const graph = new FlameGraph(document.getElementById("flame"), data, {
    isFull: true,
    remember: (address) => history.replaceState(null, "", address ? "#" + address : location.pathname + location.search),
  });
  graph.restore(address);
  addEventListener("hashchange", () => graph.restore(location.hash.slice(1)));
}
