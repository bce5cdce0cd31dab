import {useState} from 'preact/hooks';
import type {FullMessageBody} from '../../../../contract/messages.js';
import {sanitizeLine, showControls} from '../../../../lib/sanitize.js';
import {markMatches} from '../../../core/filter.js';
import {CopyButton} from '../copy-button.js';
import {More} from './more.js';

const step = 200;

/** The header fields in the order of the mail, or those with a text in name or value. */
export function HeadersTab({message: {headers}}: {readonly message: FullMessageBody}) {
	const [search, setSearch] = useState('');
	const wanted = search.toLowerCase();
	const found = headers.filter(({name, value}) => `${name}: ${value}`.toLowerCase().includes(wanted));
	return (
		<>
			<div class="bar">
				<input
					type="search"
					aria-label="Search headers"
					placeholder="Search headers"
					value={search}
					onInput={({currentTarget}) => setSearch(currentTarget.value)}
				/>
				<p class="note" role="status">
					{search === '' ? `${headers.length}` : `${found.length} of ${headers.length}`}
				</p>
			</div>
			{headers.length === 0 && <p class="empty">This message has no headers.</p>}
			<More key={search} rows={found} step={step}>
				{rows => (
					<dl class="fields">
						{rows.map(({name, value}, index) => (
							// biome-ignore lint/suspicious/noArrayIndexKey: a field may stand there twice
							<div key={index}>
								<dt>
									<Marked text={sanitizeLine(name)} search={search} />
								</dt>
								<dd>
									<Marked text={showControls(value)} search={search} />
								</dd>
								<dd class="copy">
									<CopyButton text={value} what={sanitizeLine(name)} />
								</dd>
							</div>
						))}
					</dl>
				)}
			</More>
		</>
	);
}

/** Characters of a value that are shown. */
const maxValue = 20_000;

function Marked({text, search}: {readonly text: string; readonly search: string}) {
	const shown = text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
	return (
		<>
			{markMatches(shown, search).map(({text, marked}, index) =>
				// biome-ignore lint/suspicious/noArrayIndexKey: stretches have no other name
				marked ? <mark key={index}>{text}</mark> : text,
			)}
		</>
	);
}
