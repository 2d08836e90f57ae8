// How fast agents play each other.

import { h } from "./dom.js";

/** A slider with its value in words. It is made once, so that it is not replaced while it is dragged. @param {(delay: number) => void} onChange */
export function speedSlider(onChange) {
  const slider = h("input", { type: "range", id: "speed", min: "0", max: "2", step: "0.1", onchange: () => onChange(2 - Number(slider.value)), oninput: () => says() });
  const shown = h("output", {});
  const says = () => {
    shown.textContent = Number(slider.value) >= 2 ? "no pause" : `${(2 - Number(slider.value)).toFixed(1)} s a move`;
    slider.setAttribute("aria-valuetext", shown.textContent);
  };
  const show = (delay) => {
    if (slider.matches(":active")) return;
    slider.value = String(2 - Math.min(2, delay));
    says();
  };
  return { element: h("label", {}, "Speed", slider, shown), show };
}
