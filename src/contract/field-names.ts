import type {BounceBody} from './bounces.js';
import type {NodeBody} from './daemon.js';
import type {FaultBody, FaultHitBody} from './faults.js';
import type {CredentialsBody, InboxBody} from './inboxes.js';
import type {CreatedKeyBody, KeyBody} from './keys.js';
import type {FullMessageBody, MessageBody} from './messages.js';
import type {InviteBody, TeamBody} from './teams.js';
import type {TemplateBody, TemplateSummaryBody} from './templates.js';
import type {PlanBody, TokenBody, UserBody} from './users.js';
import type {
	CreatedEndpointBody,
	DeliveryBody,
	DeliveryResultBody,
	EndpointBody,
	EndpointReadBody,
} from './webhooks.js';

/** Names of the fields of a body, as `--json` offers them. The compiler accepts only a text with exactly these names. */
export function fieldsOf<Body>() {
	return <Text extends string>(
		names: Exclude<keyof Body, Words<Text>> | Exclude<Words<Text>, keyof Body> extends never ? Text : never,
	): readonly string[] => names.split(' ');
}

type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text;

export const inboxFields = fieldsOf<InboxBody>()(
	'id email_address name message_count team_id routing bounce simulator keep keep_for evicted expires_at created_at',
);

export const createdInboxFields = [...inboxFields, 'smtp'];

export const credentialsFields = fieldsOf<CredentialsBody>()('host port tls_port username password url send_key');

export const messageFields = fieldsOf<MessageBody>()(
	'id inbox_id from from_name to cc reply_to recipients date subject text html size attachments codes links message_id envelope session warnings received_at',
);

export const fullMessageFields = [...messageFields, ...fieldsOf<Omit<FullMessageBody, keyof MessageBody>>()('headers')];

export const bounceFields = fieldsOf<BounceBody>()('kind sender recipients status to message_id');

export const faultFields = fieldsOf<FaultBody>()(
	'id inbox_id name stage match reply times after per delay_ms byte_delay_ms drop rate probability seed ttl expires_at created_at seen hit_count',
);

export const faultHitFields = fieldsOf<FaultHitBody>()(
	'id fault_id name inbox_id time stage client user envelope reply drop delay_ms message_id',
);

export const endpointFields = fieldsOf<EndpointBody>()('id url format verification_key events is_active created_at');

export const createdEndpointFields = fieldsOf<CreatedEndpointBody>()(
	'id url format verification_key events is_active created_at secret',
);

export const endpointReadFields = fieldsOf<EndpointReadBody>()(
	'id url format verification_key events is_active created_at recent_deliveries',
);

export const deliveryResultFields = fieldsOf<DeliveryResultBody['delivery']>()(
	'id event status attempts response_status response_body created_at',
);

export const deliveryFields = [
	...deliveryResultFields,
	...fieldsOf<Omit<DeliveryBody, keyof DeliveryResultBody['delivery']>>()(
		'webhook_endpoint_id payload last_attempt_at',
	),
];

export const templateFields = fieldsOf<TemplateBody>()('provider id subject text html fallback_values created_at');

export const templateSummaryFields = fieldsOf<TemplateSummaryBody>()('provider id subject created_at parts');

export const planFields = fieldsOf<PlanBody>()('plan teams members keys');

export const userFields = fieldsOf<UserBody>()('id name email plan created_at');

export const tokenFields = fieldsOf<TokenBody>()('token expires_at');

export const keyFields = fieldsOf<KeyBody>()('id name key_prefix last_used_at created_at');

export const createdKeyFields = fieldsOf<CreatedKeyBody>()('id name key prefix created_at message');

export const teamFields = fieldsOf<TeamBody>()('id name owner_id members created_at');

export const inviteFields = fieldsOf<InviteBody>()('id token email role expiresAt');

export const nodeFields = fieldsOf<NodeBody>()('id name version address since heartbeat_at waits sessions state');
