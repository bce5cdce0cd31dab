import {partsOf} from './bodies.js';
import type {Mail} from './mail.js';

/** Sentences about what is wrong with a mail, for whoever wrote what sent it. */
export function warningsAbout(mail: Mail, hasBareLineFeeds: boolean): string[] {
	const checks: ReadonlyArray<readonly [boolean, string]> = [
		[mail.failure !== undefined, `The mail could only be read in part: ${mail.failure}.`],
		[mail.failure === undefined && mail.fields.every(({key}) => key === ''), 'The mail has no header section.'],
		[isCutOff(mail), 'The mail is cut off or malformed: the boundary that closes its parts is missing.'],
		[
			hasUndeclaredText(mail),
			'A text has characters outside of ASCII but declares no character set; it was read as UTF-8.',
		],
		[hasBareLineFeeds, 'The mail has line feeds without a carriage return, which some servers refuse.'],
	];
	return checks.filter(([applies]) => applies).map(([, sentence]) => sentence);
}

function isCutOff({failure, root, isClosed}: Mail): boolean {
	return failure === undefined && /^multipart\//.test(root?.contentType || '') && !isClosed;
}

function hasUndeclaredText({root}: Mail): boolean {
	return partsOf(root).some(({charset = 'us-ascii', textContent = ''}) => {
		return /^(?:us-)?ascii$/i.test(charset) && /[^\x00-\x7f]/.test(textContent);
	});
}
