import type {BounceBody} from '../../contract/bounces.js';
import type {SentBounce} from '../../services/bounces/bounces.js';

export function bounceBody({kind, sender, recipients, status, to, messageId}: SentBounce): BounceBody {
	return {kind, sender, recipients, status: kind === 'bounce' ? status : null, to, message_id: messageId};
}
