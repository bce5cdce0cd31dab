import type {Theme} from '../theme.js';

const shapes: Readonly<Record<Theme | 'log out', string>> = {
	system: 'M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Zm0 1.5v10A5 5 0 0 1 8 3Z',
	light:
		'M8 4.75a3.25 3.25 0 1 0 0 6.5 3.25 3.25 0 0 0 0-6.5ZM7.3.9h1.4v2H7.3Zm0 12.2h1.4v2H7.3ZM.9 7.3h2v1.4h-2Zm12.2 0h2v1.4h-2ZM2.5 3.5l1-1 1.4 1.4-1 1Zm8.6 8.6 1-1 1.4 1.4-1 1ZM2.5 12.5l1.4-1.4 1 1-1.4 1.4Zm8.6-8.6 1.4-1.4 1 1-1.4 1.4Z',
	dark: 'M6.2 1.6A6.5 6.5 0 1 0 14.4 9.8 5.6 5.6 0 0 1 6.2 1.6Z',
	'log out': 'M2 2h7v1.5H3.5v9H9V14H2Zm8.2 2.6L14 8l-3.8 3.4-1-1.1L10.9 8.75H6v-1.5h4.9L9.2 5.7Z',
};

/** A picture beside a word that says the same. */
export function Icon({of}: {readonly of: keyof typeof shapes}) {
	return (
		<svg viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">
			<path d={shapes[of]} fill-rule="evenodd" />
		</svg>
	);
}
