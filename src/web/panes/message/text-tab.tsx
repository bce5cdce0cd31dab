import type {FullMessageBody} from '../../../contract/messages.js';
import {LongText} from './long-text.js';

/** Characters of a text that are shown; the source has all of it. */
const maxText = 512 * 1024;

export function TextTab({message: {text}}: {readonly message: FullMessageBody}) {
	if (text === '') {
		return <p class="empty">There is no text in this mail.</p>;
	}

	return (
		<>
			{text.length > maxText && (
				<p class="warning">
					This is the beginning of {text.length.toLocaleString('en')} characters; the .eml has all of it.
				</p>
			)}
			<LongText text={text.slice(0, maxText)} isLinked />
		</>
	);
}
