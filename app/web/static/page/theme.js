// Colours of the page for the drawings, and a callback when the colour scheme changes.

const PREFERENCE = window.matchMedia("(prefers-color-scheme: dark)");

/** Return a colour of theme.css by its name, such as "ink". */
export const themeColour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export const onThemeChange = (redraw) => PREFERENCE.addEventListener("change", redraw);

/** Layout options of all drawings. */
export const baseLayout = () => ({
  paper_bgcolor: "rgba(0,0,0,0)",
  plot_bgcolor: "rgba(0,0,0,0)",
  font: { family: "system-ui, sans-serif", size: 12, color: themeColour("ink") },
  hoverlabel: {
    bgcolor: themeColour("card"),
    bordercolor: themeColour("muted"),
    font: { color: themeColour("ink"), size: 13 },
    align: "left",
  },
  showlegend: false,
});
