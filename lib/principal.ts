import { MrtrError } from './errors.js';

/** Whose state it is: the user and, where the credential names one, the client acting for the user. */
export interface Principal {
  /** Who vouches for the subject, as `iss` of a token. */
  readonly issuer?: string;
  /** The user, unique within the issuer. */
  readonly subject: string;
  /** The client, as `azp` or `client_id` of a token. */
  readonly client?: string;
}

/**
 * The `principal` option: `null` means that nobody is authenticated, a string is a subject; anything else than a
 * {@link Principal}, a string or `null` is a fault of the server (HTTP 500). May be async.
 */
export type PrincipalResolver<Req> = (req: Req) => Principal | string | null | Promise<Principal | string | null>;

const MAX_LENGTH = 1024;

/**
 * The default `principal`: reads what Passport left in `req.user`. A string is the subject; else `sub` (with `iss`),
 * `id` or `_id` is. The client is `azp` or `client_id`. An absent user is `null`.
 *
 * Throws {@link MrtrError} `ERR_MRTR_PRINCIPAL` for a user that names nobody (`{}`, `true`, `''`): better no service
 * than two users with one state. Nothing that changes with a refreshed token is looked at.
 *
 * @example
 * ```ts
 * mrtr({ server, tools, principal: (req) => req.get('x-tenant') === undefined ? null : fromPassport(req) });
 * ```
 */
export function fromPassport(req: object): Principal | null {
  const { user } = req as { user?: unknown };
  if (user === undefined || user === null) return null;
  if (typeof user === 'string') return { subject: identifier(user, 'req.user') };
  if (typeof user !== 'object') throw fault(`req.user is ${describe(user)}, which names nobody`);
  const claims = user as Record<string, unknown>;
  return { ...subjectOf(claims), ...clientOf(claims) };
}

/**
 * A `principal` for the bearer middleware of the official SDK, which sets `req.auth`: the subject is `extra.sub`
 * (with `extra.iss`), the client `clientId`. An absent `req.auth` is `null`.
 *
 * Throws {@link MrtrError} `ERR_MRTR_PRINCIPAL` when `extra.sub` is missing: a client alone is not a user.
 *
 * @example
 * ```ts
 * app.use('/mcp', requireBearerAuth({ verifier }), mrtr({ server, tools, principal: fromAuthInfo }));
 * ```
 */
export function fromAuthInfo(req: object): Principal | null {
  const { auth } = req as { auth?: unknown };
  if (auth === undefined || auth === null) return null;
  if (typeof auth !== 'object') throw fault(`req.auth is ${describe(auth)}, not the AuthInfo of a bearer middleware`);
  const { extra, clientId } = auth as Record<string, unknown>;
  const claims = typeof extra === 'object' && extra !== null ? (extra as Record<string, unknown>) : {};
  if (claims['sub'] === undefined) throw fault('req.auth.extra.sub is missing; let your verifier put the user there');
  const client =
    typeof clientId === 'string' && clientId !== '' ? { client: identifier(clientId, 'req.auth.clientId') } : {};
  return { ...subjectOf({ sub: claims['sub'], iss: claims['iss'] }), ...client };
}

/** Checks what a `principal` option returned. */
export function toPrincipal(value: unknown): Principal | null {
  if (value === null) return null;
  if (typeof value === 'string') return { subject: identifier(value, 'principal') };
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw fault(`the principal option returned ${describe(value)}; return { subject }, a string, or null for nobody`);
  }
  const { issuer, subject, client, ...rest } = value as Record<string, unknown>;
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) {
    throw fault(
      `a principal has issuer, subject and client, and no ${JSON.stringify(unknown.slice(0, 64))}; put what tells tenants apart into issuer`,
    );
  }
  return {
    ...(issuer !== undefined && { issuer: text(issuer, 'principal.issuer') }),
    subject: text(subject, 'principal.subject'),
    ...(client !== undefined && { client: text(client, 'principal.client') }),
  };
}

/** A principal as fields of a binding; nobody is told apart from everybody. */
export function fieldsOf(principal: Principal | null): readonly string[] {
  if (principal === null) return ['anonymous'];
  return ['principal', principal.issuer ?? '', principal.subject, principal.client ?? ''];
}

function subjectOf(claims: Record<string, unknown>): Principal {
  if (claims['sub'] !== undefined) {
    const issuer = claims['iss'];
    const subject = identifier(claims['sub'], 'req.user.sub');
    return issuer === undefined ? { subject } : { issuer: text(issuer, 'req.user.iss'), subject };
  }
  if (claims['id'] !== undefined) return { subject: identifier(claims['id'], 'req.user.id') };
  if (claims['_id'] !== undefined) return { subject: identifier(claims['_id'], 'req.user._id') };
  throw fault('req.user has none of sub, id and _id; set the principal option to say who the user is');
}

function clientOf(claims: Record<string, unknown>): { client?: string } {
  const client = claims['azp'] ?? claims['client_id'];
  return client === undefined || client === null ? {} : { client: text(client, 'req.user.azp or client_id') };
}

/** A non-empty string, finite number, bigint, or an object that prints itself, as an ObjectId does. */
function identifier(value: unknown, where: string): string {
  switch (typeof value) {
    case 'string':
      return text(value, where);
    case 'number':
      if (Number.isFinite(value)) return String(value);
      break;
    case 'bigint':
      return String(value);
    case 'object':
      // eslint-disable-next-line @typescript-eslint/no-base-to-string -- not Object's own, as was just checked
      if (printsItself(value)) return text(String(value), where);
      break;
    default:
      break;
  }
  throw fault(`${where} is ${describe(value)}, which names nobody`);
}

function printsItself(value: object | null): boolean {
  if (value === null || Array.isArray(value) || value instanceof Date) return false;
  const print: unknown = (value as { toString?: unknown }).toString;
  return typeof print === 'function' && print !== Object.prototype.toString;
}

function text(value: unknown, where: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH) return value;
  throw fault(`${where} is ${describe(value)}; it must be a text of 1 to ${MAX_LENGTH} characters`);
}

/** Names a kind of value, never the value: a user must not reach a log. */
function describe(value: unknown): string {
  if (value === '') return 'an empty text';
  if (typeof value === 'string') return `a text of ${value.length} characters`;
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'an object' : `of type ${typeof value}`;
}

function fault(problem: string): MrtrError {
  return new MrtrError('ERR_MRTR_PRINCIPAL', `The principal of a request could not be told: ${problem}.`);
}
