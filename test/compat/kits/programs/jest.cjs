const {setupTinbox} = require('tinbox/jest');
const {plan, sharedInbox, signUp} = require('./sign-up.cjs');

const {inbox, tinbox} = setupTinbox();
const shared = sharedInbox();
for (const one of plan) {
	// @ts-expect-error Jest gives it to its tests.
	test(one.name, async () => signUp(one.isOwn ? inbox : async () => shared(await tinbox()), one));
}
