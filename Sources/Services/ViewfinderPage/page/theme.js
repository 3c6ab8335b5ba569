// The page is dark by default. A person may choose light, or what the system prefers.

const KEY = 'firstlight-theme';
const THEMES = ['dark', 'light', 'system'];
const systemIsLight = matchMedia('(prefers-color-scheme: light)');

/** The theme that the person chose: dark, light or system. */
export function chosenTheme() {
  const stored = localStorage.getItem(KEY);
  return THEMES.includes(stored) ? stored : 'dark';
}

/** Chooses a theme, also for later visits. */
export function chooseTheme(theme) {
  localStorage.setItem(KEY, theme);
  applyTheme();
}

/** Shows the page in the chosen theme. */
export function applyTheme() {
  const theme = chosenTheme();
  const isLight = theme === 'light' || (theme === 'system' && systemIsLight.matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
}

systemIsLight.addEventListener('change', applyTheme);
