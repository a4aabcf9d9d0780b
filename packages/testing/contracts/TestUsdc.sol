// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

import {Ownable} from '@openzeppelin/contracts/access/Ownable.sol';
import {Initializable} from '@openzeppelin/contracts/proxy/utils/Initializable.sol';
import {ERC20} from '@openzeppelin/contracts/token/ERC20/ERC20.sol';
import {ERC3009} from '@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol';
import {IERC20Permit} from '@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol';
import {Nonces} from '@openzeppelin/contracts/utils/Nonces.sol';
import {EIP712} from '@openzeppelin/contracts/utils/cryptography/EIP712.sol';
import {SignatureChecker} from '@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol';

/// @title USDC for a development chain
/// @notice Behaves like Circle's token in all that a payment sees: selectors, EIP-712 domain, events and their order,
/// reverts. One owner holds every role.
/// @dev The runtime code is placed at an address, as behind a proxy: a constructor's storage never reaches it, so the
/// name is code and `initialize` does the rest.
contract TestUsdc is ERC3009, IERC20Permit, Nonces, Ownable, Initializable {
    bytes32 private constant PERMIT_TYPEHASH =
        keccak256('Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)');

    event Mint(address indexed minter, address indexed to, uint256 amount);
    event Pause();
    event Unpause();
    event Blacklisted(address indexed _account);
    event UnBlacklisted(address indexed _account);

    string public constant version = '2';
    string public constant currency = 'USD';
    bool public paused;

    mapping(address account => bool) private _blacklisted;

    constructor() ERC20('', '') EIP712('USDC', version) Ownable(msg.sender) {}

    /// @notice Makes the caller the owner and gives each holder `amount`.
    function initialize(address[] calldata holders, uint256 amount) external initializer {
        _transferOwnership(msg.sender);
        for (uint256 i = 0; i < holders.length; i++) _mint(holders[i], amount);
    }

    function name() public pure override returns (string memory) {
        return 'USDC';
    }

    function symbol() public pure override returns (string memory) {
        return 'USDC';
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function mint(address to, uint256 amount) external onlyOwner returns (bool) {
        emit Mint(msg.sender, to, amount);
        _mint(to, amount);
        return true;
    }

    function pause() external onlyOwner {
        paused = true;
        emit Pause();
    }

    function unpause() external onlyOwner {
        paused = false;
        emit Unpause();
    }

    function blacklist(address account) external onlyOwner {
        _blacklisted[account] = true;
        emit Blacklisted(account);
    }

    function unBlacklist(address account) external onlyOwner {
        _blacklisted[account] = false;
        emit UnBlacklisted(account);
    }

    function isBlacklisted(address account) external view returns (bool) {
        return _blacklisted[account];
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    function nonces(address owner) public view override(IERC20Permit, Nonces) returns (uint256) {
        return super.nonces(owner);
    }

    /// @dev OpenZeppelin's ERC20Permit fixes the version of its domain to 1; USDC's is 2.
    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        permit(owner, spender, value, deadline, abi.encodePacked(r, s, v));
    }

    /// @notice With a signature of any kind, as USDC takes it from smart wallets (ERC-1271).
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) public {
        require(block.timestamp <= deadline, 'FiatTokenV2: permit is expired');
        bytes memory message = abi.encode(PERMIT_TYPEHASH, owner, spender, value, _useNonce(owner), deadline);
        _requireSignature(owner, keccak256(message), signature);
        _approve(owner, spender, value);
    }

    /// @notice With a signature of any kind, as USDC takes it from smart wallets (ERC-1271).
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        bytes memory message = abi.encode(
            TRANSFER_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
        );
        _requireSignature(from, keccak256(message), signature);
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice With a signature of any kind, as USDC takes it from smart wallets (ERC-1271).
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) external {
        require(to == msg.sender, ERC20InvalidReceiver(to));
        bytes memory message = abi.encode(
            RECEIVE_WITH_AUTHORIZATION_TYPEHASH, from, to, value, validAfter, validBefore, nonce
        );
        _requireSignature(from, keccak256(message), signature);
        _transferWithAuthorization(from, to, value, validAfter, validBefore, nonce);
    }

    /// @notice With a signature of any kind, as USDC takes it from smart wallets (ERC-1271).
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) external {
        bytes memory message = abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce);
        _requireSignature(authorizer, keccak256(message), signature);
        _cancelAuthorization(authorizer, nonce);
    }

    function _requireSignature(address signer, bytes32 structHash, bytes memory signature) private view {
        bytes32 digest = _hashTypedDataV4(structHash);
        require(SignatureChecker.isValidSignatureNow(signer, digest, signature), 'FiatTokenV2: invalid signature');
    }

    function _update(address from, address to, uint256 value) internal override {
        _requireFree(from, to);
        super._update(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value, bool emitEvent) internal override {
        _requireFree(owner, spender);
        super._approve(owner, spender, value, emitEvent);
    }

    /// @dev USDC counts an unlimited allowance down like any other, and so meets a blacklisted spender here.
    function _spendAllowance(address owner, address spender, uint256 value) internal override {
        uint256 allowed = allowance(owner, spender);
        require(allowed >= value, ERC20InsufficientAllowance(spender, allowed, value));
        _approve(owner, spender, allowed - value, false);
    }

    /// @dev Plain EIP-3009: OpenZeppelin also reads block numbers out of the upper bits, USDC does not.
    function _checkValidity(uint256 validAfter, uint256 validBefore) internal view override {
        require(
            block.timestamp > validAfter && block.timestamp < validBefore,
            ERC3009InvalidAuthorizationTime(validAfter, validBefore)
        );
    }

    /// @dev The reasons are those of USDC, which wallets know.
    function _requireFree(address one, address other) private view {
        require(!paused, 'Pausable: paused');
        require(!_blacklisted[one] && !_blacklisted[other], 'Blacklistable: account is blacklisted');
    }
}
