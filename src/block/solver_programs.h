/* block/solver_programs.h -- the block programs (block.c) of the solvers, one for each call that opt/solver_calls.c
 * leaves to a kernel.
 *
 * XG_SOLVER_PROGRAMS: X(name of the call behind "__xlagpu$", text). XG_SOLVER_PIECES: the texts that several programs
 * share, which stand in these as $A, $B and so on: each is there once, and no string has more than the 4,095 characters
 * that C compilers must take. Spaces stand between words alone. Beside its own names a program knows the conditions of
 * the call (lower, left, adjoint), the real numbers eps (of the type), tol (below which a cosine is none) and floor
 * (below which a length's square is no number), and the int threads.
 *
 * Matrices are scaled by a power of two where lengths are taken, so that no square overflows. Sources: LAPACK's getrf,
 * geqrf and gehrd for the forms of results; Golub and Van Loan, Matrix Computations, for reflectors and for Jacobi's
 * methods, whose rotations of one round (a tournament's: each row meets each other one once) share no row and are done
 * together. */
#ifndef XG_BLOCK_SOLVER_PROGRAMS_H
#define XG_BLOCK_SOLVER_PROGRAMS_H

/* clang-format off */
/* Panels of 16 columns: a column is eliminated in its panel only; what is right of the panel sees its 16 columns at once. */
#define XG_PROGRAM_LU \
    "in a[m,n];least=min(m,n);out x[m,n];out int pivots[least];out int info[1];work y[m,n]in x;" \
    "each i in 0..m,j in 0..n{y[i,j]=a[i,j];}" \
    "first=0;sync;" \
    "for panel in 0..(least+15)/16{" \
      "from=panel*16;to=min(from+16,least);" \
      "for k in from..to{" \
        "p=argmax i in k..m of abs1(y[i,k]);" \
        "pivot=y[p,k];zero=abs1(pivot)==0;" \
        "pivots[k]=p+1;first=zero&&first==0?k+1:first;" \
        "sync;" \
        "each j in 0..n{u=y[k,j];y[k,j]=y[p,j];y[p,j]=u;}" \
        "sync;" \
        "if!zero{each i in k+1..m{y[i,k]=y[i,k]/pivot;}}" \
        "sync;" \
        "if!zero{each i in k+1..m,j in k+1..to{y[i,j]=y[i,j]-y[i,k]*y[k,j];}}" \
        "sync;" \
      "}" \
      "each j in to..n{for k in from..to{u=y[k,j];for i in k+1..to{y[i,j]=y[i,j]-y[i,k]*u;}}}" \
      "sync;" \
      "each i in to..m,j in to..n{u=y[i,j];for k in from..to{u=u-y[i,k]*y[k,j];}y[i,j]=u;}" \
      "sync;" \
    "}" \
    "info[0]=first;" \
    "if y_shared{each i in 0..m,j in 0..n{x[i,j]=y[i,j];}}"

/* Each place follows the swaps from the last one back to where its number came from. A pivot outside swaps nothing. */
#define XG_PROGRAM_PERMUTATION \
    "in int swap[k];out int x[n];" \
    "each i in 0..n{" \
      "at=i;" \
      "for back in 0..min(k,n){" \
        "t=min(k,n)-1-back;to=swap[t];to=to<0||to>=n?t:to;" \
        "at=at==t?to:at==to?t:at;" \
      "}" \
      "x[i]=at;" \
    "}"

/* y = a by a power of two: y s = a */
#define XG_PROGRAM_UNIT "$A"
#define XG_PIECE_UNIT "big=most t in 0..m*n of abs1(a[t/n,t%n]);s=magnitude(big);unit=inverse(s);"
#define XG_PROGRAM_SCALED "$B"
#define XG_PIECE_SCALED XG_PROGRAM_UNIT \
    "each i in 0..m,j in 0..n{y[i,j]=a[i,j]*unit;}" \
    "sync;"
/* 1 - tau v v* of column k of y from row r on: v, but for the 1 in front, and what is left of the column take its place; then of the columns behind it. v is zero, and the same as LAPACK's, where there is nothing to reflect. */
#define XG_PROGRAM_REFLECTOR "$C"
#define XG_PIECE_REFLECTOR \
    "tail=total i in r+1..m of norm2(y[i,k]);" \
    "alpha=y[r,k];idle=tail==0&&im(alpha)==0;" \
    "beta=sqrt(norm2(alpha)+tail);beta=re(alpha)>0?-beta:beta;" \
    "tau=idle?element(0):element((beta-re(alpha))*inverse(beta),-im(alpha)*inverse(beta));" \
    "away=alpha-beta;factor=idle?element(0):conj(away)*inverse(norm2(away));" \
    "sync;" \
    "each i in r+1..m{y[i,k]=y[i,k]*factor;}" \
    "y[r,k]=idle?alpha:element(beta);taus[k]=tau;" \
    "sync;" \
    "columns j in k+1..n{" \
      "w=sum i in r..m of conj(i==r?element(1):y[i,k])*y[i,j];w=w*conj(tau);" \
      "each i in r..m{y[i,j]=y[i,j]-w*(i==r?element(1):y[i,k]);}" \
    "}" \
    "sync;"
#define XG_PROGRAM_QR \
    "in a[m,n];least=min(m,n);out x[m,n];out taus[least];work y[m,n]in x;" XG_PROGRAM_SCALED \
    "for k in 0..least{r=k;" XG_PROGRAM_REFLECTOR "}" \
    "each i in 0..m,j in 0..n{u=y[i,j];x[i,j]=j>=i?u*s:u;}"
/* The longest column that is left comes first. */
#define XG_PROGRAM_QR_PIVOTED \
    "in a[m,n];least=min(m,n);out x[m,n];out int order[n];out taus[least];shared real len[n];shared int at[n];work y[m,n]in x;" XG_PROGRAM_SCALED \
    "each j in 0..n{at[j]=j;}" \
    "for k in 0..least{r=k;" \
      "columns j in k..n{l=total i in k..m of norm2(y[i,j]);len[j]=l;}" \
      "sync;" \
      "p=argmax j in k..n of len[j];" \
      "each i in 0..m{u=y[i,k];y[i,k]=y[i,p];y[i,p]=u;}" \
      "each z in 0..1{t=at[k];at[k]=at[p];at[p]=t;}" \
      "sync;" XG_PROGRAM_REFLECTOR "}" \
    "each j in 0..n{order[j]=at[j]+1;}" \
    "each i in 0..m,j in 0..n{u=y[i,j];x[i,j]=j>=i?u*s:u;}"
#define XG_PROGRAM_REFLECT_ROWS_Y "$D"
#define XG_PROGRAM_REFLECT_ROWS(x) \
    "rows i in 0..n{" \
      "w=sum j in r..n of " x "[i,j]*(j==r?element(1):y[j,k]);w=w*tau;" \
      "each j in r..n{" x "[i,j]=" x "[i,j]-w*conj(j==r?element(1):y[j,k]);}" \
    "}"
/* H* A H, Hessenberg. */
#define XG_PROGRAM_HESSENBERG \
    "in a[n,n];m=n;out x[n,n];out taus[k_max];work y[n,n]in x;" XG_PROGRAM_SCALED \
    "for k in 0..n-1{r=k+1;" XG_PROGRAM_REFLECTOR \
    XG_PROGRAM_REFLECT_ROWS_Y "sync;}" \
    "each i in 0..n,j in 0..n{u=y[i,j];x[i,j]=j+1>=i?u*s:u;}"
/* Reflectors of v applied to c from the left or right, or the adjoint of their product. Columns (rows) of c know nothing of each other. */
#define XG_PROGRAM_REFLECT \
    "in v[vm,vn];in taus[k];in c[m,n];out x[m,n];work y[m,n]in x;" \
    "each i in 0..m,j in 0..n{y[i,j]=c[i,j];}" \
    "sync;" \
    "if left{" \
      "columns j in 0..n{for t in 0..k{" \
        "q=adjoint?t:k-1-t;r=q;tau=adjoint?conj(taus[q]):taus[q];" \
        "w=sum i in r..m of conj(i==r?element(1):v[i,q])*y[i,j];w=w*tau;" \
        "each i in r..m{y[i,j]=y[i,j]-w*(i==r?element(1):v[i,q]);}" \
      "}}" \
    "}else{" \
      "rows i in 0..m{for t in 0..k{" \
        "q=adjoint?k-1-t:t;r=q;tau=adjoint?conj(taus[q]):taus[q];" \
        "w=sum j in r..n of y[i,j]*(j==r?element(1):v[j,q]);w=w*tau;" \
        "each j in r..n{y[i,j]=y[i,j]-w*conj(j==r?element(1):v[j,q]);}" \
      "}}" \
    "}" \
    "sync;" \
    "if y_shared{each i in 0..m,j in 0..n{x[i,j]=y[i,j];}}"

/* One-sided Jacobi: rows of w, n of them, m long, are rotated in pairs until all are orthogonal; `also` does the same to other rows. bad: they are not.
 * With h = 1 - c a rotation is added to what was there: a cosine that is rounded to 1 would make rows longer each time. */
#define XG_PROGRAM_JACOBI(also) "$E" also "$F"
#define XG_PIECE_JACOBI \
    "even=n+n%2;bad=0==0;mine=bad;" \
    "for sweep in 0..40{if bad{" \
      "mine=0==1;" \
      "for round in 0..even-1{" \
        "rows t in 0..even/2{" \
          "p=t==0?even-1:round+t>=even-1?round+t-even+1:round+t;" \
          "q=t==0?round:round-t<0?round-t+even-1:round-t;" \
          "u=min(p,q);q=max(p,q);p=u;pair=q<n;q=pair?q:p;" \
          "pp=total i in 0..m of norm2(w[p,i]);" \
          "qq=total i in 0..m of norm2(w[q,i]);" \
          "pq=sum i in 0..m of conj(w[p,i])*w[q,i];" \
          "e=norm2(pq);" \
          "act=pair&&e>pp*qq*(tol*tol)&&pp>floor*floor&&qq>floor*floor;mine=mine||act;" \
          "if act{" \
            "d=qq-pp;e=e*4;h=max(d*d+e,floor*floor*floor*floor);z=2*inverse(abs(d)+h*inverse_root(h));z=d<0?-z:z;" \
            "c=inverse_root(z*z*e*0.25+1);g=pq*(z*c);h=norm2(g)*inverse(c+1);" \
            "each i in 0..m{f=w[p,i];k=w[q,i];w[p,i]=f-(conj(g)*k+f*h);w[q,i]=k+(g*f-k*h);}"
#define XG_PIECE_JACOBI_END \
          "}" \
        "}" \
        "sync;" \
      "}" \
      "bad=any z in 0..threads of mine;" \
    "}}"
#define XG_PROGRAM_ALSO "each i in 0..n{f=o[p,i];k=o[q,i];o[p,i]=f-(conj(g)*k+f*h);o[q,i]=k+(g*f-k*h);}"
/* Rows in the order of len, by argmin or argmax; `also`: the rows that belong to them. */
#define XG_PROGRAM_SORTED(best, also) "for k in 0..n{p=" best "$G" also "$H"
#define XG_PIECE_SORTED \
    " i in k..n of len[i];" \
      "each i in 0..m{h=w[k,i];w[k,i]=w[p,i];w[p,i]=h;}"
#define XG_PIECE_SORTED_END \
      "each z in 0..1{l=len[k];len[k]=len[p];len[p]=l;}" \
      "sync;" \
    "}"
#define XG_PROGRAM_ALSO_SORTED "each i in 0..n{h=o[k,i];o[k,i]=o[p,i];o[p,i]=h;}"
#define XG_PROGRAM_TURNED(x) "each i in 0..n,j in 0..n{if j<i{h=" x "[i,j];" x "[i,j]=" x "[j,i];" x "[j,i]=h;}}"

/* A + shift 1 is positive definite and well conditioned, so that its rows, once they are orthogonal, are its eigenvectors times their eigenvalues. Those of A are x* A x, whose error is the square of x's. */
#define XG_PROGRAM_EIGH \
    "in a[n,n];m=n;out x[n,n];out real values[n];out int info[1];shared real len[n];work w[n,n]in x;" \
    "big=most t in 0..n*n of(lower?t/n>=t%n:t/n<=t%n)?abs1(a[t/n,t%n]):0;s=magnitude(big);unit=inverse(s);" \
    "each p in 0..n,i in 0..n{h=(lower?i>=p:i<=p)?a[i,p]:conj(a[p,i]);w[p,i]=(i==p?element(re(h)):h)*unit;}" \
    "sync;" \
    "rows p in 0..n{l=total i in 0..n of abs1(w[p,i]);len[p]=l;}" \
    "sync;" \
    "rowsum=most p in 0..n of len[p];squares=total t in 0..n*n of norm2(w[t/n,t%n]);" \
    "shift=1.5*min(rowsum,sqrt(squares));shift=shift>0?shift:1.0;" \
    "sync;" \
    "each p in 0..n{w[p,p]=w[p,p]+shift;}" \
    "sync;" XG_PROGRAM_JACOBI("") \
    "rows p in 0..n{l=total i in 0..n of norm2(w[p,i]);l=inverse_root(l);each i in 0..n{w[p,i]=w[p,i]*l;}}" \
    "sync;" \
    "rows p in 0..n{" \
      "l=total t in 0..n*n of re(conj(w[p,t/n])*((lower?t/n>=t%n:t/n<=t%n)?a[t/n,t%n]:conj(a[t%n,t/n]))*w[p,t%n]);" \
      "len[p]=l*unit;" \
    "}" \
    "sync;" XG_PROGRAM_SORTED("argmin", "") \
    "each p in 0..n{values[p]=len[p]*s;}" \
    "if w_shared{each i in 0..n,j in 0..n{x[i,j]=w[j,i];}}else{" XG_PROGRAM_TURNED("x") "}" \
    "info[0]=finite(big)&&!bad?0:1;"

/* The columns of A, m >= n, are the rows of w: rotated until they are orthogonal, their lengths are the singular values. */
#define XG_PROGRAM_SVD_BEGIN "$I"
#define XG_PIECE_SVD_BEGIN XG_PROGRAM_UNIT \
    "each i in 0..m,p in 0..n{w[p,i]=a[i,p]*unit;}"
#define XG_PROGRAM_SVD_END "$J"
#define XG_PIECE_SVD_END "each p in 0..n{values[p]=len[p]*s;}info[0]=finite(big)&&!bad?0:1;"
#define XG_PROGRAM_SVD_LENGTHS "$K"
#define XG_PIECE_SVD_LENGTHS "rows p in 0..n{l=total i in 0..m of norm2(w[p,i]);len[p]=sqrt(l);}sync;"
#define XG_PROGRAM_SVD_VALUES \
    "in a[m,n];out x[n,m];out real values[n];out none[1];out none_either[1];out int info[1];shared real len[n];work w[n,m]in x;" XG_PROGRAM_SVD_BEGIN \
    "sync;" XG_PROGRAM_JACOBI("") XG_PROGRAM_SVD_LENGTHS XG_PROGRAM_SORTED("argmax", "") XG_PROGRAM_SVD_END \
    "none[0]=element(0);none_either[0]=element(0);"
/* Where a length says nothing, or columns of u are left over, the axis that the columns so far have least of, made orthogonal to them, twice, is the next one. */
#define XG_PROGRAM_SVD \
    "in a[m,n];out x[n,m];out real values[n];out u[m,nu];out v[n,n];out int info[1];shared real len[n];shared real weight[m];shared dots[nu];" \
    "work w[n,m]in x;work o[n,n]in v;" XG_PROGRAM_SVD_BEGIN \
    "each p in 0..n,i in 0..n{o[p,i]=p==i?element(1):element(0);}" \
    "sync;" XG_PROGRAM_JACOBI(XG_PROGRAM_ALSO) XG_PROGRAM_SVD_LENGTHS XG_PROGRAM_SORTED("argmax", XG_PROGRAM_ALSO_SORTED) \
    "each i in 0..m,p in 0..n{u[i,p]=w[p,i]*inverse(max(len[p],floor));}" \
    "each i in 0..m{weight[i]=0;}" \
    "holes=any p in 0..nu of p>=n||len[p]<=floor;" \
    "sync;" \
    "if holes{for p in 0..nu{" \
      "if p>=n||len[p]<=floor{" \
        "axis=argmin i in 0..m of weight[i];" \
        "each i in 0..m{u[i,p]=i==axis?element(1):element(0);}" \
        "sync;" \
        "for pass in 0..2{" \
          "columns k in 0..p{d=sum i in 0..m of conj(u[i,k])*u[i,p];dots[k]=d;}" \
          "sync;" \
          "each i in 0..m{h=u[i,p];for k in 0..p{h=h-u[i,k]*dots[k];}u[i,p]=h;}" \
          "sync;" \
        "}" \
        "l=total i in 0..m of norm2(u[i,p]);l=inverse_root(l);" \
        "each i in 0..m{u[i,p]=u[i,p]*l;}" \
        "sync;" \
      "}" \
      "each i in 0..m{weight[i]=weight[i]+norm2(u[i,p]);}" \
    "}}" \
    "if o_shared{each i in 0..n,j in 0..n{v[i,j]=o[j,i];}}else{" XG_PROGRAM_TURNED("v") "}" XG_PROGRAM_SVD_END

/* A = Z T Z*, T triangular: Hessenberg form, then QR steps on the last block that has not fallen apart, each with the eigenvalue of its last 2 x 2 elements nearer to the last one as the shift,
 * now and then another number, lest steps go round in circles. A step chases a bulge by rotations of rows and columns k, k + 1. */
#define XG_PROGRAM_SCHUR "$L"
#define XG_PIECE_SCHUR \
    "in a[n,n];m=n;out t[n,n];out z[n,n];out values[n];out int info[1];shared taus[n];shared x[n];work y[n,n]in t;work o[n,n]in z;" XG_PROGRAM_SCALED \
    "each i in 0..n,j in 0..n{o[i,j]=i==j?element(1):element(0);}" \
    "sync;" \
    "for k in 0..n-1{r=k+1;" XG_PROGRAM_REFLECTOR XG_PROGRAM_REFLECT_ROWS_Y XG_PROGRAM_REFLECT_ROWS("o") \
      "sync;" \
      "each i in r+1..n{y[i,k]=element(0);}" \
      "sync;" \
    "}" \
    "size=most q in 0..n*n of abs1(y[q/n,q%n]);hi=n-1;steps=0;" \
    "for turn in 0..n*40{if hi>0&&finite(big){" \
      "lo=argmax k in 0..hi+1 of k==0||abs1(y[k,k-1])<=eps*max(abs1(y[k,k])+abs1(y[k-1,k-1]),eps*size)?k:-1;" \
      "sync;" \
      "if lo>0{y[lo,lo-1]=element(0);}" \
      "if lo==hi{hi=hi-1;steps=0;sync;}else{" \
        "steps=steps+1;" \
        "d=y[hi,hi];c=y[hi,hi-1];bc=c*y[hi-1,hi];half=(y[hi-1,hi-1]-d)*0.5;root=csqrt(half*half+bc);" \
        "plus=half+root;less=half-root;plus=norm2(plus)>=norm2(less)?plus:less;" \
        "shift=norm2(plus)==0?d:d-bc/plus;shift=steps%11==10?d+abs(c):shift;" \
        "sync;" \
        "for k in lo..hi{" \
          "f=k==lo?y[k,k]-shift:y[k,k-1];g=k==lo?y[k+1,k]:y[k+1,k-1];" \
          "l=norm2(f)+norm2(g);some=l>0;l=inverse_root(l);f=some?f*l:element(1);g=some?g*l:element(0);" \
          "sync;" \
          "each j in max(k-1,lo)..n{e=y[k,j];h=y[k+1,j];y[k,j]=conj(f)*e+conj(g)*h;y[k+1,j]=j<k?element(0):f*h-g*e;}" \
          "sync;" \
          "each i in 0..n{" \
            "if i<=k+2&&i<=hi{e=y[i,k];h=y[i,k+1];y[i,k]=f*e+g*h;y[i,k+1]=conj(f)*h-conj(g)*e;}" \
            "e=o[i,k];h=o[i,k+1];o[i,k]=f*e+g*h;o[i,k+1]=conj(f)*h-conj(g)*e;" \
          "}" \
          "sync;" \
        "}" \
      "}" \
    "}}" \
    "each k in 0..n{x[k]=y[k,k];}" \
    "sync;"
#define XG_PROGRAM_SCHUR_END "$M"
#define XG_PIECE_SCHUR_END \
    "each k in 0..n{values[k]=x[k]*s;}" \
    "each i in 0..n,j in 0..n{h=y[i,j];t[i,j]=j>=i?h*s:element(0);}" \
    "if o_shared{each i in 0..n,j in 0..n{z[i,j]=o[i,j];}}" \
    "info[0]=finite(big)&&hi==0?0:1;"
/* The eigenvectors of T by substitution, the last one first, so that Z times it takes the place of a column of Z that nothing needs any more; of length one, the first of their largest elements
 * real. Those of a real matrix come in pairs, which become neighbours, the one of the positive imaginary part first. */
#define XG_PROGRAM_EIG XG_PROGRAM_SCHUR \
    "most_value=most k in 0..n of abs1(x[k]);least=most_value>0?most_value*eps:1.0;" \
    "for back in 0..n{" \
      "k=n-1-back;" \
      "sync;" \
      "each i in 0..n{x[i]=i==k?element(1):i<k?-y[i,k]:element(0);}" \
      "sync;" \
      "for step in 0..k{" \
        "i=k-1-step;d=y[i,i]-y[k,k];d=abs1(d)<least?element(least):d;e=x[i]/d;" \
        "l=abs1(e)>limit?inverse(limit):1.0;e=e*l;" \
        "sync;" \
        "each j in 0..k+1{h=x[j]*l;x[j]=j==i?e:j<i?h-y[j,i]*e:h;}" \
        "sync;" \
      "}" \
      "each i in 0..n{e=element(0);for j in 0..k+1{e=e+o[i,j]*x[j];}o[i,k]=e;}" \
    "}" \
    "sync;" \
    "columns k in 0..n{" \
      "l=total i in 0..n of norm2(o[i,k]);u=most i in 0..n of norm2(o[i,k]);" \
      "p=argmin i in 0..n of norm2(o[i,k])>=u*(1-eps*8192)?i:n;" \
      "f=conj(o[p,k]);f=f*(inverse_root(norm2(f))*inverse_root(l));" \
      "sync;" \
      "each i in 0..n{o[i,k]=o[i,k]*f;}" \
    "}" \
    "each k in 0..n{x[k]=y[k,k];}" \
    "sync;" \
    "if real{taken=0==1;for k in 0..n{if taken{taken=0==1;}else{" \
      "v=x[k];p=argmin i in k+1..n of abs1(x[i]-conj(v));" \
      "pair=k+1<n&&abs(im(v))>most_value*sqrt(eps)*sqrt(sqrt(eps))&&abs1(x[p]-conj(v))<=abs(im(v));up=im(v)>0;" \
      "sync;" \
      "if pair{" \
        "each i in 0..n{e=o[i,k];f=o[i,p];o[i,p]=o[i,k+1];o[i,k]=up?e:f;o[i,k+1]=up?f:e;}" \
        "each i in 0..1{x[p]=x[k+1];x[k]=up?v:conj(v);x[k+1]=up?conj(v):v;}" \
      "}else{x[k]=element(re(v));}" \
      "taken=pair;" \
      "sync;" \
    "}}}" XG_PROGRAM_SCHUR_END

/* Elimination with partial pivoting. Each thread has a right side, and eliminates the diagonals along with it: main, above, and what pivoting puts above that. One of them writes those down. */
#define XG_PROGRAM_TRIDIAGONAL \
    "in below[n];in main[n];in above[n];in b[n,m];out x[n,m];shared d[n];shared u[n];shared w[n];" \
    "each j in 0..m{" \
      "p=main[0];q=n>1?above[0]:element(0);h=b[0,j];" \
      "for k in 0..n-1{" \
        "low=below[k+1];e=main[k+1];f=k+2<n?above[k+1]:element(0);g=b[k+1,j];swap=abs(low)>abs(p);" \
        "top=swap?low:p;low=swap?p:low;p=top;" \
        "top=swap?e:q;e=swap?q:e;q=top;" \
        "second=swap?f:element(0);f=swap?element(0):f;" \
        "top=swap?g:h;g=swap?h:g;" \
        "if j==0{d[k]=p;u[k]=q;w[k]=second;}" \
        "x[k,j]=top;low=low/p;h=g-low*top;p=e-low*q;q=f-low*second;" \
      "}" \
      "if j==0{d[n-1]=p;u[n-1]=element(0);w[n-1]=element(0);}" \
      "x[n-1,j]=h;" \
    "}" \
    "sync;" \
    "each j in 0..m{" \
      "g=element(0);h=g;" \
      "for back in 0..n{k=n-1-back;e=(x[k,j]-u[k]*g-w[k]*h)/d[k];x[k,j]=e;h=g;g=e;}" \
    "}"

#define XG_SOLVER_PIECES(X) \
    X(XG_PIECE_UNIT) X(XG_PIECE_SCALED) X(XG_PIECE_REFLECTOR) X(XG_PROGRAM_REFLECT_ROWS("y")) \
    X(XG_PIECE_JACOBI) X(XG_PIECE_JACOBI_END) X(XG_PIECE_SORTED) X(XG_PIECE_SORTED_END) \
    X(XG_PIECE_SVD_BEGIN) X(XG_PIECE_SVD_END) X(XG_PIECE_SVD_LENGTHS) X(XG_PIECE_SCHUR) X(XG_PIECE_SCHUR_END)
#define XG_SOLVER_PROGRAMS(X) \
    X("gtsv", XG_PROGRAM_TRIDIAGONAL) \
    X("getrf", XG_PROGRAM_LU) X("pivots", XG_PROGRAM_PERMUTATION) X("geqrf", XG_PROGRAM_QR) X("geqp3", XG_PROGRAM_QR_PIVOTED) X("gehrd", XG_PROGRAM_HESSENBERG) \
    X("ormqr", XG_PROGRAM_REFLECT) X("syevd", XG_PROGRAM_EIGH) X("gesvd", XG_PROGRAM_SVD_VALUES) X("gesvdj", XG_PROGRAM_SVD) \
    X("gees", XG_PROGRAM_SCHUR XG_PROGRAM_SCHUR_END) X("geev", XG_PROGRAM_EIG)

/* clang-format on */
#endif /* XG_BLOCK_SOLVER_PROGRAMS_H */
