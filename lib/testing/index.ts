export { codecContract } from './codec-contract.js';
export { mailboxContract } from './mailbox-contract.js';
export { replayStoreContract } from './replay-store-contract.js';

export type { ContractCase } from './contract-case.js';
export type { MailboxContractOptions } from './mailbox-contract.js';
export type { ReplayStoreContractOptions } from './replay-store-contract.js';
