import type {Watch} from '../watch.js';

/** Shows a sentence on the last line, until the next key. */
export function notify({store}: Watch, text: string): void {
	store.dispatch({type: 'notice', notice: {text, tone: 'info'}});
}
