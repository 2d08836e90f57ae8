// Sliders: the speed of agents that play each other, and rates of learning.

import { h } from "./dom.js";

/**
 * A slider with its value in words. It is made once, so that it is not replaced while it is dragged.
 * @param {(delay: number) => void} onChange
 */
export function speedSlider(onChange) {
  const slider = h("input", {
    type: "range",
    id: "speed",
    min: "0",
    max: "2",
    step: "0.1",
    onchange: () => onChange(2 - Number(slider.value)),
    oninput: () => says(),
  });
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

/**
 * A slider for a rate from 0 to 1, with its value next to it.
 * @param {string} id @param {string} text @param {number} first @param {(value: number) => void} onChange
 * @returns {{element: HTMLElement, show: (value: number) => void}}
 */
export function rateSlider(id, text, first, onChange) {
  const output = h("output", {}, String(first));
  const input = h("input", {
    type: "range",
    id,
    min: "0",
    max: "1",
    step: "0.005",
    value: String(first),
    "aria-label": text,
  });
  input.addEventListener("input", () => {
    output.textContent = Number(input.value).toPrecision(2);
    onChange(Number(input.value));
  });
  const show = (value) => {
    input.value = String(value);
    output.textContent = String(value);
  };
  return { element: h("label", { class: "rate" }, h("span", {}, text), input, output), show };
}
