import type {Words} from './columns.js';

/** French, Spanish and their kin. */
export const romance: Readonly<Record<string, Words>> = {
	fr: {
		refused: "n'est pas valide, n'est plus valide, est invalide, est incorrect, a expiré, est expiré, est erroné",
		gone: 'a été envoyé, a été utilisé, a été modifié',
		code: 'code, codes, mot de passe temporaire, jeton',
		otp: `mot de passe à usage unique, mot de passe unique, code secret, code pin, code otp
			numéro de vérification, clé d'accès, mot de passe à utilisation unique`,
		verify: `vérif, confirm, sécurité, accès, connexion, connecter, à usage unique, usage unique
			à utilisation unique, activation, activer, authentif, validation, valider, inscription, identification
			temporaire, récupération, réinitialis, déverrouill, unique, enregistrement, double facteur
			à deux facteurs, identité, appareil`,
		about: 'mot de passe, expire, valable, valide, compte, minutes, communiquez, partagez',
		number: 'numéro, n°, no',
		thing: `promo, réduction, commande, postal, avantage, client, parrain~, barre~, à barres, source, erreur, suivi
			réservation, colis, produit, article, pays, banque, guichet, fiscal, swift, couleur, dossier, facture
			porte, siret, naf, ape, qr, de conduite, ticket, projet, modèle, inventaire, catégorie, fournisseur
			équipement, problème, incident
			adhérent, employé, élève, étudiant, patient, contrat, motif, cours, entreprise, raison`,
		parcel: 'colis',
		offer: 'réduction, remise, offre, panier, promo, cadeau, bon d’achat, avoir, économis',
		failure: 'erreur, échec, échou',
		numbered: `téléphone, tél, montant, colis, chambre, compte, carte, depuis, facture, commande, version, étage
			ligne`,
		ref: `siret, siren, cedex, référence, réf, code postal, se terminant par, tva, numéro de suivi
			numéro de commande, numéro client, qui se termine par, finissant par`,
		is: 'est, sont, comme',
		enter: `utilisez, saisissez, entrez, utilise, saisis, entre, utiliser, saisir, entrer, tapez, copiez
			insérez, renseignez, suivant, indiquez, saisissant, entrant, indiquant`,
		to: 'pour, afin, dans, sur, lorsque, lors',
		of: 'de, du, de la, de l’, des, d’, pour, pour votre',
		unit: `jour, jours, heure, heures, seconde~, chiffres, caractères, mois, semaines, ans, points, personnes
			jetons`,
		password: 'mot de passe',
		cart: 'panier, caisse, lors du paiement, en payant, libellé',
		here: 'voici, le voici, voilà, ci dessous',
		key: 'clé',
	},
	es: {
		refused: 'no es válido, ya no es válido, ha caducado, ha expirado, ha vencido, es incorrecto, no es correcto',
		gone: 'se ha enviado, fue enviado, se ha utilizado, se ha usado, se ha cambiado',
		code: 'código~, contraseña temporal, clave temporal, token',
		otp: `contraseña de un solo uso, clave dinámica, clave de acceso, clave de un solo uso
			clave de verificación, clave de seguridad, contraseña de uso único, número de verificación
			número de confirmación de acceso, pin de seguridad, pin de acceso`,
		verify: `verific, confirm, segur, acceso, acceder, un solo uso, uso único, activa, autentic, autoriz
			inicio de sesión, iniciar sesión, sesión, registro, validación, validar, temporal, recupera, restablec
			identidad, identific, inicio, doble factor, dos pasos, dos factores, desbloqueo, vincula, ingreso
			ingresar`,
		about: 'contraseña, caduca, vence, válido, validez, cuenta, minuto, compart, expira',
		number: 'número, números, núm, nro, nº',
		thing: `postal, descuento, promocional, promoción, seguimiento, rastreo, reserva, barras, error, cliente, pedido
			producto, artículo, país, área, fuente, qr, de conducta, conducta, factura, envío, referido, regalo
			swift, fiscal, color, proyecto, habitación, estado, compra, invitado, modelo, inventario, categoría
			proveedor, equipo, problema, incidencia, incidente
			socio, empleado, alumno, estudiante, paciente, contrato, motivo, curso, empresa`,
		parcel: 'paquete, rastre, seguimiento',
		offer: 'descuento, oferta, cupón, promoci, regalo, carrito, tienda, ahorr, rebaja',
		failure: 'error, fallo, falló',
		numbered: `teléfono, tel, móvil, celular, importe, cuenta, tarjeta, habitación, piso, desde, factura, pedido
			versión, línea, año, calle, ticket`,
		ref: `cupón, referencia, ref, código postal, que termina en, terminada en, nif, cif, c.p.
			terminado en, que acaba en, acabado en`,
		is: 'es, como, son, será',
		enter: `usa, introduce, ingresa, utiliza, use, introduzca, ingrese, utilice, escribe, escriba, usar
			introducir, ingresar, copia, copie, pega, inserta, digita, digite, siguiente, teclea
			introduciendo, ingresando, escribiendo`,
		to: 'para, en, al, cuando',
		of: 'de, de la, del, de tu, de su, para, de los, de las',
		unit: 'hora, horas, día, días, segundo~, dígitos, caracteres, semanas, meses, años, puntos, personas, pesos',
		password: 'contraseña, clave',
		cart: 'carrito, cesta, al pagar, en caja, finalizar la compra, al realizar el pago, como concepto',
		here: 'aquí, aquí está, aquí tienes, aquí lo tienes, abajo, a continuación',
	},
	it: {
		refused: 'non è valido, non è più valido, è scaduto, non è corretto, è errato',
		gone: 'è stato inviato, è stato utilizzato, è stato usato, è stato modificato',
		code: 'codice, codici, password temporanea, token',
		otp: 'codice otp, password monouso, password usa e getta, numero di verifica, codice pin, chiave di accesso',
		verify: `verific, confer, sicurezza, accesso, accedere, acced, monouso, attiva, autentic, autorizz
			registrazione, convalida, temporane, recuper, ripristin, reimpost, identit, login, due fattori
			due passaggi, sblocc, usa e getta, iscrizione`,
		about: 'scade, valido, valida, minuti, password, account, condivid',
		number: 'numero, numeri, n°',
		thing: `postale, sconto, promozionale, promo, fiscale, cliente, ordine, barre, errore, tracciamento
			prenotazione, prodotto, articolo, paese, sorgente, qr, di condotta, condotta, fattura, spedizione
			pratica, colore, buono, stato, iban, swift, univoco, invito amico, modello, inventario, categoria
			fornitore, cespite, problema, incidente
			tessera, socio, dipendente, studente, paziente, contratto, motivo, corso, azienda`,
		parcel: 'pacco, tracci, spedizion',
		offer: 'sconto, offerta, coupon, buono, promozion, carrello, omaggio, risparmi, regalo',
		failure: 'errore, fallit',
		numbered: `ordine, fattura, telefono, tel, cellulare, importo, cap, camera, piano, conto, carta, versione
			via, riga`,
		ref: `codice fiscale, partita iva, p. iva, riferimento, rif, cap, che termina con, terminante con
			che finisce con, terminante in`,
		is: 'è, come, sono, e’',
		enter: `usa, inserisci, utilizza, digita, inserire, inserite, utilizzare, immetti, immettere, immetta, copia
			incolla, inserisca, utilizzi, seguente`,
		to: 'per, in, nel, nella, su, quando',
		of: 'di, del, dello, della, dell’, a, per, d’',
		unit: 'ore, ora, giorni, giorno, secondi, cifre, caratteri, mesi, anni, settimane, punti, persone',
		password: 'password, la password',
		cart: 'carrello, alla cassa, in cassa, al pagamento, causale, al momento del pagamento',
		here: 'ecco, eccolo, ecco qui',
	},
	pt: {
		refused: 'não é válido, é inválido, expirou, está incorreto, não é mais válido',
		gone: 'foi enviado, foi usado, foi utilizado, foi alterado',
		code: 'código~, senha temporária, palavra passe temporária, token',
		otp: `palavra passe única, palavra passe temporária, senha de uso único, senha única, senha descartável, token de segurança, token de acesso
			palavra passe de uso único, código pin, número de verificação, chave de acesso, chave de segurança
			pin de acesso`,
		verify: `verific, confirm, seguran, acess, uso único, ativa, activa, autentic, autoriz, início de sessão
			iniciar sessão, login, entrar, registo, registro, cadastro, validação, validar, temporár, recupera
			redefini, identidade, dois fatores, duas etapas, desbloqueio`,
		about: 'senha, palavra passe, expira, válido, conta, minuto, compartilh, partilh',
		number: 'número, números, nº, núm',
		thing: `postal, desconto, promocional, rastreamento, rastreio, pedido, reserva, barras, erro, cliente, produto
			artigo, país, área, fonte, qr, de conduta, conduta, fatura, encomenda, envio, indicação, presente
			fiscal, cor, projeto, quarto, compra, protocolo, modelo, inventário, património, patrimônio, categoria
			fornecedor, equipamento, problema, incidente, ocorrência, chamado
			sócio, funcionário, aluno, paciente, contrato, motivo, curso, empresa`,
		parcel: 'encomenda, rastre',
		offer: 'desconto, oferta, cupom, cupão, promoç, carrinho, loja, brinde',
		failure: 'erro, falha, falhou',
		numbered: `telefone, tel, celular, telemóvel, valor, agência, conta, cartão, quarto, andar, desde, pedido
			fatura, versão, rua, linha, sala`,
		ref: `cep, cupom, cnpj, cpf, nif, nota fiscal, referência, ref, código postal, terminado em, terminada em
			final do cartão, que termina em, com final`,
		is: 'é, como, são',
		enter: `use, utilize, insira, digite, informe, introduza, usa, usar, inserir, digitar, copie, cole, escreva
			seguinte, insere, introduz`,
		to: 'para, no, na, em, quando',
		of: 'de, do, da, dos, das, de seu, do seu, para',
		unit: 'dias, dia, hora, horas, segundos, dígitos, caracteres, meses, anos, semanas, pontos, pessoas, reais',
		password: 'senha, palavra passe',
		cart: 'carrinho, cesto de compras, ao pagar, no caixa, finalizar a compra, ao fazer o pagamento',
		here: 'aqui, aqui está, cá está, eis',
	},
	ro: {
		code: 'parola temporară, parola ta temporară, cod, codul~, coduri~, codului, parolă temporară',
		otp: `parolă de unică folosință, parola de unică folosință, număr de verificare, parolă unică, cod pin
			codul pin, parola unică`,
		password: 'parola, parolă',
		verify: `verific, confirm, securit, acces, autentific, autoriz, activare, activat, activeaz, activaț
			unică folosință, de unică, conect, înregistr, validare, temporar, recuper, reset, identit, login
			doi pași, doi factori, siguranț`,
		about: 'parol, expir, valabil, minute, distribui, contul',
		number: 'număr, numărul, nr',
		thing: `poștal, reducere, promoțional, promo, de urmărire, urmărire, de bare, bare, eroare, clientului, client
			comand~, comenzi~, produs, articol, țar~, sursă, qr, de conduită, factur~, rezervar~, expedier~, fiscal
			colet, bonus, recomandare, modelului, inventar, categoriei, furnizorului, problem~, incident~
			angajat~, student~, pacient~, contract~, motiv~, curs~, produsului`,
		parcel: 'colet, urmărire',
		offer: 'reducere, ofert, cupon, promoți, voucher, coș, cadou',
		failure: 'eroare, eșuat',
		numbered: 'telefon, tel, comanda, factura, camera, etaj, sumă, suma, card, contul',
		ref: 'cui, cif, cnp, referință, cod poștal, codul poștal, care se termină cu, terminat în, terminat cu',
		is: 'este, e, ca, sunt',
		enter: `folosiți, folosește, introduceți, introdu, utilizați, utilizează, tastați, scrie, copiați, copiază
			următorul`,
		to: 'pentru, în, la, pe, când',
		of: 'de, al, a, pentru, de la',
		unit: 'minute, ore, oră, zile, secunde, cifre, caractere, lei, luni, ani, puncte',
		cart: 'coș, la casă, la plată',
		here: 'iată, iată l, aici',
	},
	ca: {
		code: 'codi, codis, contrasenya temporal',
		key: 'testimoni',
		otp: "contrasenya d'un sol ús, contrasenya d’ús únic, clau d’accés, número de verificació, codi pin",
		verify: `verific, confirm, seguretat, accés, accedir, un sol ús, ús únic, activac, activar, activeu
			autentic, autoritz, inici de sessió, iniciar sessió, sessió, inici, registre, validació, validar
			temporal, recupera, restabl, identitat, dos factors, dos passos`,
		about: 'contrasenya, caduca, vàlid, venç, compte, minuts, comparteix',
		number: 'número, núm, nº',
		thing: `postal, descompte, promocional, seguiment, barres, error, client, comanda, producte, article, país, font
			qr, de conducta, factura, reserva, enviament, model, inventari, categoria, proveïdor
			problema, incidència, soci, empleat, alumne, pacient, contracte, motiu, curs`,
		parcel: 'paquet, seguiment',
		offer: 'descompte, oferta, cupó, val de, regal, botiga',
		failure: 'error, ha fallat',
		numbered: 'telèfon, tel, mòbil, comanda, factura, habitació, pis, import, compte',
		ref: 'referència, codi postal, nif, acabat en, que acaba en',
		is: 'és, com, són',
		enter: `utilitza, utilitzeu, introdueix, introduïu, feu servir, fes servir, escriu, escriviu, empra, empreu
			usa, copia, copieu, següent, inseriu`,
		to: 'per, per a, a, en, quan',
		of: 'de, del, de la, de l’, d’, dels, per, per a',
		unit: 'minuts, hores, hora, dies, segons, xifres, dígits, caràcters, mesos, anys, punts',
		password: 'contrasenya',
		cart: 'cistella, carretó, en pagar',
		here: 'aquí, aquí el tens, heus aquí',
	},
	gl: {
		code: 'código~, contrasinal temporal',
		otp: 'contrasinal dun só uso, contrasinal de uso único',
		verify: `verific, confirm, segur, acceso, acceder, dun só uso, uso único, activa, autentic, inicio de sesión
			iniciar sesión, rexistro, validación, recupera, restab`,
		about: 'contrasinal, caduca, válido, conta, minutos',
		number: 'número',
		thing: `postal, desconto, promocional, seguimento, barras, erro, cliente, pedido, produto, país, fonte, qr
			factura, reserva, modelo, inventario, problema, incidencia`,
		parcel: 'paquete, seguimento',
		offer: 'desconto, oferta, cupón',
		is: 'é, como, son',
		enter: 'usa, use, utiliza, utilice, introduce, introduza, insira, escribe, seguinte',
		to: 'para, en, no, na',
		of: 'de, do, da',
		unit: 'minutos, horas, días, díxitos',
		password: 'contrasinal',
		cart: 'carriño, ao pagar',
		here: 'aquí, aquí está, velaquí',
	},
};
