import {maxInput} from './max-input.js';

/** Where an image has an address elsewhere, also that of a style; and where all of them may have one. */
const remoteImage =
	/(?:\b(?:src|srcset|background|poster)\s*=\s*["']?|\burl\(\s*(?:["']|&quot;|&#39;)?)(?:https?:)?\/\/|<base\s/i;

/** Whether HTML has images from elsewhere. Longer HTML than can be looked through here counts as if it had some. */
export function hasRemoteImages(html: string): boolean {
	return html.length > maxInput || remoteImage.test(html);
}
