/** The looks of the page; `system` is that of the person's other programs. */
export const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

const storageKey = 'tinbox theme';

/** The one that was chosen last. */
export function chosenTheme(): Theme {
	const stored = readStored();
	return themes.find(theme => theme === stored) ?? 'system';
}

/** Where nothing can be kept, a choice is good until the page is left. */
export function chooseTheme(theme: Theme): void {
	try {
		localStorage.setItem(storageKey, theme);
	} catch {}

	showTheme(theme);
}

export function showTheme(theme = chosenTheme()): void {
	document.documentElement.dataset['theme'] = theme;
}

function readStored(): string | null {
	try {
		return localStorage.getItem(storageKey);
	} catch {
		return null;
	}
}
