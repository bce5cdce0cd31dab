import {Fragment} from 'preact';
import {showControls} from '../../../lib/sanitize.js';
import {type Facts, factRows} from '../../core/facts.js';

/** What is known of a thing, a line each. */
export function FactTable({facts}: {readonly facts: Facts}) {
	return (
		<dl class="fact-table">
			{factRows(facts).map(([label, text]) => (
				<Fragment key={label}>
					<dt>{label}</dt>
					<dd>
						<bdi>{showControls(text)}</bdi>
					</dd>
				</Fragment>
			))}
		</dl>
	);
}
