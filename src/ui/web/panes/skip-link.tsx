import {focusOn, placeOfRoute} from '../keys/focus.js';
import {useWatched} from '../web.js';

/** Leads those who go by Tab past the header, to the pane that the address is of. */
export function SkipLink() {
	const place = useWatched(({route}) => placeOfRoute(route));
	return (
		<button type="button" class="skip" onClick={() => focusOn(place)}>
			Skip to content
		</button>
	);
}
