import bodyParser from 'body-parser';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { isObject, type Fault } from '../protocol/wire.js';
import { NOT_JSON, TOO_LARGE, UNSUPPORTED_MEDIA_TYPE } from './faults.js';
import { plainLength, readPlain } from './plain-body.js';

/** A request whose body a parser in front may have read. */
export interface BodyRequest extends IncomingMessage {
  body?: unknown;
  _body?: boolean;
}

export type BodyReading =
  | { readonly kind: 'body'; readonly body: unknown }
  | { readonly kind: 'fault'; readonly fault: Fault }
  | { readonly kind: 'gone' };

export type BodyReader = (req: BodyRequest, res: ServerResponse) => BodyReading | Promise<BodyReading>;

/** Takes the body that a parser in front has read, parses what it left as bytes or text, or reads it up to `limit` bytes. */
export function bodyReader(limit: number): BodyReader {
  const parse = bodyParser.json({ limit, type: () => true, strict: false });
  return (req, res) => {
    if (!isUtf8Json(req.headers['content-type'])) return { kind: 'fault', fault: UNSUPPORTED_MEDIA_TYPE };
    if (req.body !== undefined) return parsed(req, limit);
    const length = plainLength(req, limit);
    if (length !== undefined) return plain(req, length);
    return new Promise((resolve) => {
      // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- BodyRequest only adds members
      parse(req, res, (error?: unknown) => {
        if (error !== undefined && error !== null) return resolve(failure(error));
        if (req.body === undefined) return resolve({ kind: 'fault', fault: NOT_JSON });
        // A parser further down must see that nothing is left to read.
        req._body = true;
        resolve({ kind: 'body', body: req.body });
      });
    });
  };
}

/** What the parser makes of such a body, with less ado. */
async function plain(req: BodyRequest, length: number): Promise<BodyReading> {
  const reading = await readPlain(req, length);
  switch (reading.kind) {
    case 'gone':
      return reading;
    case 'broken':
      return { kind: 'fault', fault: NOT_JSON };
    case 'bytes':
      req._body = true;
      return textReading(req, reading.bytes.toString());
  }
}

/** The fault that an error of a body parser stands for, if it is one. */
export function bodyFault(error: unknown): Fault | undefined {
  const type = isObject(error) ? error['type'] : undefined;
  switch (type) {
    case 'entity.too.large':
      return TOO_LARGE;
    case 'charset.unsupported':
    case 'encoding.unsupported':
      return UNSUPPORTED_MEDIA_TYPE;
    case 'entity.parse.failed':
    case 'entity.verify.failed':
    case 'request.aborted':
    case 'request.size.invalid':
    case 'stream.encoding.set':
      return NOT_JSON;
    default:
      return isInflateError(error) ? NOT_JSON : undefined;
  }
}

/** A parser gives its errors a type, but passes on those of zlib as they are, with a status. */
function isInflateError(error: unknown): boolean {
  return isObject(error) && error['status'] === 400 && typeof error['errno'] === 'number';
}

function parsed(req: BodyRequest, limit: number): BodyReading {
  const { body } = req;
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return { kind: 'body', body };
  if (body.length > limit) return { kind: 'fault', fault: TOO_LARGE };
  return textReading(req, body.toString());
}

function textReading(req: BodyRequest, text: string): BodyReading {
  try {
    req.body = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) as unknown;
    return { kind: 'body', body: req.body };
  } catch {
    return { kind: 'fault', fault: NOT_JSON };
  }
}

function failure(error: unknown): BodyReading {
  if (isObject(error) && error['type'] === 'request.aborted') return { kind: 'gone' };
  return { kind: 'fault', fault: bodyFault(error) ?? NOT_JSON };
}

function isUtf8Json(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  if (contentType === undefined || !isJsonContentType(contentType)) return false;
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1];
  return charset === undefined || /^utf-?8$/i.test(charset);
}
