import {keyLabel} from '../../core/key-words.js';
import {webChapters} from '../keys/bindings.js';
import {Modal} from './modal.js';

/** Every key, from the table that the handler reads, and the command that does the same. */
export function HelpDialog() {
	return (
		<Modal title="Keyboard shortcuts">
			<form method="dialog">
				<button type="submit">Close</button>
			</form>
			<div class="keys">
				{webChapters.map(({title, bindings}) => (
					<section key={title}>
						<h3>{title}</h3>
						<dl>
							{bindings.map(({keys, does, command}) => (
								<div key={does}>
									<dt>
										{keys.map(key => (
											<kbd key={key}>{keyLabel(key)}</kbd>
										))}
									</dt>
									<dd>
										{does}
										{command !== undefined && <code>tinbox {command}</code>}
									</dd>
								</div>
							))}
						</dl>
					</section>
				))}
			</div>
		</Modal>
	);
}
