import { urlOf, type StringFormat } from '../protocol/wire.js';

/** The formats that a form knows. */
export const FORMATS: readonly unknown[] = ['email', 'uri', 'date', 'date-time'] satisfies StringFormat[];

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const UNFIT_FOR_URI = /[\s\p{Cc}\\<>"]/u;
const SCRIPT_SCHEME = /^(?:javascript|data|vbscript):/i;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^(\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/;
const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether a text has one of the four formats of Elicitation, Requested Schema.
 *
 * - `email`: an ASCII mailbox whose domain has a dot, so `a@b` fails: in a form that is a slip and not an address.
 * - `uri`: absolute by the WHATWG URL Standard, without spaces, controls and backslashes; `javascript:`, `data:` and
 *   `vbscript:` fail, since an answer tends to end in a link.
 * - `date`: a day that exists, `2026-02-30` fails.
 * - `date-time`: RFC 3339 with a zone; a leap second fails, because no `Date` can hold it.
 */
export function hasFormat(format: StringFormat, text: string): boolean {
  switch (format) {
    case 'email':
      return isEmail(text);
    case 'uri':
      return !UNFIT_FOR_URI.test(text) && !SCRIPT_SCHEME.test(text) && urlOf(text) !== undefined;
    case 'date':
      return isDate(text);
    case 'date-time':
      return (text[10] === 'T' || text[10] === 't') && isDate(text.slice(0, 10)) && isTime(text.slice(11));
  }
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (text.length > 254 || at < 1 || at > 64 || !LOCAL.test(text.slice(0, at))) return false;
  const labels = text.slice(at + 1).split('.');
  const last = labels.at(-1) ?? '';
  return labels.length > 1 && last.length > 1 && !/^\d+$/.test(last) && labels.every((label) => LABEL.test(label));
}

function isDate(text: string): boolean {
  const [, year, month, day] = (DATE.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 && leap ? 29 : (DAYS[month - 1] ?? 0);
  return day >= 1 && day <= last;
}

function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hour, minute, second, zoneHour = 0, zoneMinute = 0] = match;
  return (
    Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 && Number(zoneHour) < 24 && Number(zoneMinute) < 60
  );
}
