import type {FullMessageBody} from '../../../../contract/messages.js';
import {sanitizeLine} from '../../../../lib/sanitize.js';
import {CopyButton} from '../copy-button.js';
import {OutsideLink} from './long-text.js';
import {More} from './more.js';

const step = 100;

/** The codes and links of a message, the best candidates first. */
export function CodesTab({message: {codes, links}}: {readonly message: FullMessageBody}) {
	if (codes.length + links.length === 0) {
		return <p class="empty">No codes or links.</p>;
	}

	return (
		<div class="findings">
			{codes.length > 0 && (
				<section aria-labelledby="codes-title">
					<h3 id="codes-title">Codes</h3>
					<More rows={codes} step={step}>
						{rows => (
							<ul>
								{rows.map(code => (
									<li key={code} class="finding">
										<code class="code">{code}</code>
										<CopyButton text={code} what={`the code ${code}`} />
									</li>
								))}
							</ul>
						)}
					</More>
				</section>
			)}
			{links.length > 0 && (
				<section aria-labelledby="links-title">
					<h3 id="links-title">Links</h3>
					<More rows={links} step={step}>
						{rows => (
							<ul>
								{rows.map(({url, text}) => (
									<Link key={url} url={url} text={sanitizeLine(text)} />
								))}
							</ul>
						)}
					</More>
				</section>
			)}
		</div>
	);
}

function Link({url, text}: {readonly url: string; readonly text: string}) {
	const name = text || url;
	return (
		<li class="finding">
			<p>
				{text !== '' && <bdi class="name">{text}</bdi>}
				<span class="url">
					<OutsideLink url={url} />
				</span>
			</p>
			<CopyButton text={url} what={`the link ${name}`} />
			<a class="button small" href={url} target="_blank" rel="noopener noreferrer">
				Open<span class="visually-hidden"> {name}</span>
			</a>
		</li>
	);
}
