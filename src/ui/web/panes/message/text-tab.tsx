import type {FullMessageBody} from '../../../../contract/messages.js';
import {LongText} from './long-text.js';

/** Characters of a text that are shown; the source has all of it. */
const maxText = 512 * 1024;

export function TextTab({message: {text}}: {readonly message: FullMessageBody}) {
	if (text === '') {
		return <p class="empty">This message has no text.</p>;
	}

	return (
		<>
			{text.length > maxText && (
				<p class="warning">
					Showing the start of {text.length.toLocaleString('en')} characters. Download the .eml to see all.
				</p>
			)}
			<LongText text={text.slice(0, maxText)} isLinked />
		</>
	);
}
