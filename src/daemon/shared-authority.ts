import type {SecretStore} from '../store/port.js';
import type {KeptAuthority} from '../tls/kept-authority.js';

const name = 'authority';

/** The authority of all daemons that share a store. */
export function sharedAuthority(secrets: SecretStore): KeptAuthority {
	let known: string | undefined;
	return {
		async read() {
			known = await secrets.get(name);
			return known === undefined ? undefined : JSON.parse(known);
		},
		async keep(pair) {
			const own = JSON.stringify(pair);
			const kept = await secrets.put(name, own, known);
			return kept === own ? pair : JSON.parse(kept);
		},
		isShared: true,
	};
}
