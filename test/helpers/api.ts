import {defaultSettings} from '../../src/config/settings.js';
import {assemble} from '../../src/daemon/assemble.js';
import type {Resources} from '../../src/daemon/resources.js';
import type {Accounts} from './accounts.js';

export type Api = Awaited<ReturnType<typeof openApi>>;

/** Starts the HTTP API and SMTP for these accounts. Webhooks always succeed unless `own` replaces the sender. */
export async function openApi(accounts: Accounts, own: Partial<Resources> = {}) {
	const settings = {...defaultSettings(accounts.dir), httpPort: 0, smtpPort: 0};
	const {services, http, parts} = assemble(settings, {...accounts.resources, ...own});
	await http.start();
	const smtp = parts.find(({name}) => name === 'SMTP');
	await smtp?.start();
	return {
		url: http.url,
		services,
		close: async () => {
			await smtp?.stop();
			await http.stop();
			await services.inboxes.expiry.stop();
			await services.credentials.stop();
		},
	};
}
