/** The flame graph of the overview: the costliest boxes, each leading to the whole graph. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { useAnswer, useSession } from "../app/session";
import { useIsDark } from "../app/theme";
import { boxFills } from "../canvas/colours";
import * as format from "../format";
import { CodeLegend } from "../parts/CodeLegend";
import { Go } from "../parts/links";
import type { Asked } from "../types";
import { Boxes, NONE } from "./boxes";
import { BoxMenu, type MenuOf } from "./BoxMenu";
import { BoxTip } from "./BoxTip";
import { FlameCanvas } from "./FlameCanvas";

/** The question whose answer came with the page: `engine/first.json`. */
const FIRST: Asked<"flame"> = {
  ask: "flame",
  arrangement: { by: "called" },
  search: "",
  zoom: [],
  view: null,
  width: 1536,
  minWidth: 3,
};

export function SmallFlame(): JSX.Element | null {
  const { state, metric, unit, isComparison, go } = useSession();
  const isDark = useIsDark();
  const { answer: flame } = useAnswer({ ...FIRST, metric });
  const [selected, setSelected] = useState(NONE);
  const [menu, setMenu] = useState<MenuOf | null>(null);
  const boxes = useMemo(() => flame && new Boxes(flame), [flame]);
  const colouring = isComparison ? "difference" : "origin";
  const fills = useMemo(
    () => flame && boxFills(flame, colouring, false, isDark, state.only),
    [flame, colouring, isDark, state.only.join(".")],
  );
  if (flame === null || boxes === null || fills === null || boxes.count <= 1) return null;
  const open = (place: number, isZoom: boolean): void => {
    const path = boxes.path(place) ?? boxes.path(boxes.parent(place)) ?? [];
    go({ page: "flame", zoom: isZoom ? path : [], selected: path });
  };
  const costs = (place: number): readonly string[] => {
    const amount = flame.boxes.value[place] ?? 0;
    const share = format.share(amount, flame.zoom.total);
    return [`${share} · ${format.cost(amount, metric, unit)}`, share];
  };
  return (
    <section class="card small-flame" aria-label="Flame graph">
      <h2>
        Where the {format.graphMetricTitle(metric, unit).toLowerCase()} goes
        <span class="card-more">
          <Go to={{ page: "flame", zoom: [], selected: null }}>flame graph</Go>
        </span>
      </h2>
      {isComparison ? null : <CodeLegend />}
      <FlameCanvas
        boxes={boxes}
        label="The costliest calls"
        upwards={false}
        fills={fills}
        selected={selected}
        describe={(place) => `${format.middle(boxes.name(place), 200)} · ${costs(place)[0] ?? ""}`}
        onSelect={setSelected}
        onClick={(place) => {
          if (place !== NONE) open(place, false);
        }}
        onZoom={(place) => {
          open(place, true);
        }}
        subject={metric}
        tip={(place) => <BoxTip boxes={boxes} place={place} />}
        costs={costs}
        onMenu={(place, at) => {
          setMenu({ place, at });
        }}
        isBare
      />
      {menu === null ? null : (
        <BoxMenu
          boxes={boxes}
          menu={menu}
          onFocus={(place) => {
            open(place, true);
          }}
          onClose={() => {
            setMenu(null);
          }}
        />
      )}
    </section>
  );
}
