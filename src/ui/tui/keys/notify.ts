import type {Watch} from '../watch.js';

/** Shows a sentence below the panes, until the next key. */
export function notify({store}: Watch, text: string): void {
	store.update({notice: {text, tone: 'info'}});
}
