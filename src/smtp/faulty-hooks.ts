import type {SMTPServerOptions} from 'smtp-server';
import {FaultyConnection} from './faulty-connection.js';
import type {SessionUser} from './session.js';

type Hooks = Required<Pick<SMTPServerOptions, 'onAuth' | 'onMailFrom' | 'onRcptTo'>>;

/** The same hooks of the library: what they take meets faults. */
export function createFaultyHooks({onAuth, onMailFrom, onRcptTo}: Hooks): Hooks {
	return {
		onAuth(auth, session, done) {
			onAuth(auth, session, (error, response) => {
				const login: SessionUser | undefined = response?.user;
				if (login) {
					const part = {stage: 'auth', user: login.user, inboxIds: login.inboxId ? [login.inboxId] : []} as const;
					FaultyConnection.of(session).meet(part, refusal => done(refusal, refusal ? undefined : response));
				} else {
					done(error, response);
				}
			});
		},
		onMailFrom(sender, session, done) {
			onMailFrom(sender, session, error => {
				if (error) {
					done(error);
				} else {
					FaultyConnection.of(session).meet({stage: 'mail', from: sender.address}, done);
				}
			});
		},
		onRcptTo(recipient, session, done) {
			onRcptTo(recipient, session, error => {
				if (error) {
					done(error);
				} else {
					FaultyConnection.of(session).meet({stage: 'rcpt', to: [recipient.address]}, done);
				}
			});
		},
	};
}
