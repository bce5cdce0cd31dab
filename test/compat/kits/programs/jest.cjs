const {setupTinbox} = require('tinbox/jest');
const {plan, sharedInbox, signUp} = require('./sign-up.cjs');

const {inbox, tinbox} = setupTinbox();
const shared = sharedInbox();
for (const one of plan) {
	// @ts-expect-error `test` is a global of Jest.
	test(one.name, async () => signUp(one.isOwn ? inbox : async () => shared(await tinbox()), one));
}
