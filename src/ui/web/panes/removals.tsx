import {undoRemoval} from '../actions/removals.js';
import {useWatched, useWeb} from '../web.js';

/** What was deleted and can still be undone. */
export function RemovalBar() {
	const web = useWeb();
	const removals = useWatched(({removals}) => removals);
	return (
		<div class="removals" role="status" aria-atomic="false">
			{removals.slice(-3).map(removal => (
				<p class="notice" key={`${removal.kind} ${removal.id}`}>
					<span id={`removed-${removal.kind}-${removal.id}`}>
						Deleted <bdi>{removal.what}</bdi>.
					</span>
					<button
						type="button"
						aria-describedby={`removed-${removal.kind}-${removal.id}`}
						aria-keyshortcuts="z"
						onClick={() => undoRemoval(web, removal)}
					>
						Undo
					</button>
				</p>
			))}
		</div>
	);
}
