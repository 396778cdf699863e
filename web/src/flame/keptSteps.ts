/**
 * Which steps of a long path are shown, by their places: the first, the last, those of the
 * program's own code, and of the others as many as there is room for, from the end, which says most.
 */
export function keptSteps(isOwn: readonly boolean[], most: number): readonly number[] {
  const places = isOwn.map((_, at) => at);
  if (places.length <= most) return places;
  const kept = new Set(places.filter((at) => at === 0 || at === places.length - 1 || isOwn[at] === true));
  for (let at = places.length - 1; at > 0 && kept.size < most; at -= 1) kept.add(at);
  return places.filter((at) => kept.has(at));
}
