import {test} from 'tinbox/vitest';
import {plan, sharedInbox, signUp} from './sign-up.cjs';

const shared = sharedInbox();
for (const one of plan) {
	if (one.isOwn) {
		test(one.name, async ({inbox}) => signUp(async () => inbox, one));
	} else {
		test(one.name, async ({tinbox}) => signUp(async () => shared(tinbox), one));
	}
}
