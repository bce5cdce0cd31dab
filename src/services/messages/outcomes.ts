import {AppError} from '../../domain/errors.js';
import type {Message, Session} from '../../domain/message.js';
import {AlreadyAnswered} from '../../store/receipt-store.js';
import type {StagedSource} from '../../store/store.js';
import type {MailResult, MailWay, Observer} from '../observer.js';
import {Faulted} from './mail-faults.js';
import type {RequestedMail, RequestOutcome} from './requested-mail.js';

/** How the mail came of which this is kept. */
function wayOf(session: Session | null): MailWay {
	return session === null ? 'daemon' : (session.request?.provider ?? 'smtp');
}

/** Tells what becomes of mails. What they come to, it hands on. */
export class Outcomes {
	readonly #observer: Pick<Observer, 'mail' | 'commit'>;

	constructor(observer: Pick<Observer, 'mail' | 'commit'>) {
		this.#observer = observer;
	}

	async ofMail<T>(session: Session | null, keeping: Promise<T>): Promise<T> {
		const way = wayOf(session);
		try {
			const kept = await keeping;
			this.#observer.mail(way, 'kept');
			return kept;
		} catch (error) {
			this.#observer.mail(way, outcomeOf(error));
			throw error;
		}
	}

	async ofRequest(mails: readonly RequestedMail[], keeping: Promise<RequestOutcome>): Promise<RequestOutcome> {
		try {
			const outcome = await keeping;
			const {failures, messageIds} = outcome;
			this.#tell(mails, index => {
				const isKept = messageIds[index]?.length !== 0;
				return failures.has(index) ? outcomeOf(failures.get(index)) : isKept ? 'kept' : 'not_found';
			});
			return outcome;
		} catch (error) {
			this.#tell(mails, () => outcomeOf(error));
			throw error;
		}
	}

	async ofCommit(
		{size}: Pick<StagedSource, 'size'>,
		[first]: readonly Pick<Message, 'session'>[],
		commit: () => Promise<void>,
	): Promise<void> {
		const begun = performance.now();
		await commit();
		this.#observer.commit(wayOf(first?.session ?? null), size, (performance.now() - begun) / 1000);
	}

	#tell(mails: readonly RequestedMail[], outcomeAt: (index: number) => MailResult): void {
		for (const [index, {session}] of mails.entries()) {
			this.#observer.mail(wayOf(session), outcomeAt(index));
		}
	}
}

function outcomeOf(error: unknown): MailResult {
	if (error instanceof Faulted) {
		return 'faulted';
	}

	if (error instanceof AlreadyAnswered) {
		return 'answered';
	}

	return error instanceof AppError ? error.code : 'failed';
}
